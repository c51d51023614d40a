/**
 * Logs requests, with the route pattern but never the URL, which can contain an API key. Exceptions are
 * logged without the credentials of their request.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { withoutSecrets } from '../platform/secrets/redact.ts'

/** Returns the ID assigned by a proxy, or a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(sent) ? sent : randomUUID()
}

/**
 * Successful responses are logged at the `debug` level and errors at `info`, because thousands of lines a
 * second aren't useful.
 */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime } = reply
  const level = status < 400 ? 'debug' : 'info'
  const ms = Math.round(elapsedTime * 10) / 10
  request.log[level]({ method: request.method, route: patternOf(request), status, ms }, 'request')
}

/** Logs that the client disconnected before the response. Operators don't need to act on this. */
export function logAbort(request: FastifyRequest): void {
  request.log.debug({ method: request.method, route: patternOf(request) }, 'request aborted')
}

/** Returns the route pattern, such as `/users/:user_key`, or `none` if no route matched. */
export function patternOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}

export type Failed = {
  readonly route: string
  /** Strings in the request that must not appear in the log: its credentials and path parameters. */
  readonly secrets: readonly (string | undefined)[]
}

export function logFailure(log: Pick<Logger, 'error'>, { route, secrets }: Failed, thrown: unknown): void {
  const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  log.error({ route, error: withoutSecrets(error, secrets) }, 'request failed')
}
