/**
 * What a request leaves in the log: the route's pattern and never its address, because an API key can stand in
 * that, and of what was thrown only words from which the credentials of the request have been taken out.
 */
import type { Logger } from 'pino'

export type Finished = {
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
}

/** Answers are `debug` and refusals `info`: a line for each of thousands a second costs more than it tells. */
export function logRequest(log: Logger, finished: Finished): void {
  const level = finished.status < 400 ? 'debug' : 'info'
  if (!log.isLevelEnabled(level)) return
  const { requestId, ms, ...request } = finished
  log[level]({ request_id: requestId, ...request, ms: Math.round(ms * 10) / 10 }, 'request')
}

export type Failed = {
  readonly requestId: string
  readonly route: string
  /** Texts of the request that must not be repeated: its credentials and what stood in the path. */
  readonly secrets: readonly (string | undefined)[]
}

export function logFailure(log: Logger, { requestId, route, secrets }: Failed, thrown: unknown): void {
  const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  log.error({ request_id: requestId, route, error: withoutSecrets(error, secrets) }, 'request failed')
}

/** No credential is shorter, and taking out the "1" of a version would leave a stack that nobody can read. */
const SHORTEST_SECRET = 8

function withoutSecrets(text: string, secrets: Failed['secrets']): string {
  return secrets
    .filter((secret) => secret !== undefined)
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((clean, secret) => clean.replaceAll(secret, '[removed]'), text)
}
