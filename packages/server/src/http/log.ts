/**
 * What a request leaves in the log: the pattern of its route and never its address, in which an API key can stand. What was
 * thrown is logged without the credentials of its request.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'

/** The id that a proxy in front gave to the request, or a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = headers['x-request-id']
  return typeof sent === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(sent) ? sent : randomUUID()
}

/** Answers are logged at `debug` and refusals at `info`: thousands of lines a second say little. */
export function logRequest(request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode: status, elapsedTime } = reply
  const level = status < 400 ? 'debug' : 'info'
  const ms = Math.round(elapsedTime * 10) / 10
  request.log[level]({ method: request.method, route: patternOf(request), status, ms }, 'request')
}

/** The client went away before it had its answer: nothing that the operator could do anything about. */
export function logAbort(request: FastifyRequest): void {
  request.log.debug({ method: request.method, route: patternOf(request) }, 'request aborted')
}

/** The pattern of the route, such as `/users/:user_key`; `none` when no route matched. */
export function patternOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'none'
}

export type Failed = {
  readonly route: string
  /** Texts of the request that must not be repeated: its credentials and the parameters of its path. */
  readonly secrets: readonly (string | undefined)[]
}

export function logFailure(log: Pick<Logger, 'error'>, { route, secrets }: Failed, thrown: unknown): void {
  const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  log.error({ route, error: withoutSecrets(error, secrets) }, 'request failed')
}

/** No credential is shorter, and removing the "1" of a version would leave an unreadable stack. */
const MIN_SECRET_LENGTH = 8

function withoutSecrets(text: string, secrets: Failed['secrets']): string {
  return secrets
    .filter((secret) => secret !== undefined)
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .reduce((clean, secret) => clean.replaceAll(secret, '[removed]'), text)
}
