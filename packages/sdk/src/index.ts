/**
 * The SDK. `new Scriptward({ url, token })` has a method for each operation of `/v1`, grouped by resource. To
 * reduce bundle size, use `connect` and one function per operation instead of the class. Methods, functions
 * and types are generated.
 */
import { type Client, createClient, createConfig } from './generated/client/index.ts'
import { Resources } from './generated/resources.gen.ts'
import type { Error as ErrorEnvelope } from './generated/types.gen.ts'

export type { CallOptions, ChangeOptions } from './call.ts'
export * from './generated/sdk.gen.ts'
export * from './generated/types.gen.ts'
export { entriesOf, type ListPage } from './pages.ts'

export type ScriptwardOptions = {
  /** URL of the server, such as `https://ward.example.org`. */
  readonly url: string
  /** API key or token. Omit it for public operations, such as `tiers.list`. */
  readonly token?: string
  /** Custom `fetch`, for tests or proxies. */
  readonly fetch?: typeof globalThis.fetch
}

/**
 * A client for one server and one credential. Methods resolve to the response's data and throw a {@link
 * ServiceError} or an {@link UnreachableError}.
 *
 *     const scriptward = new Scriptward({ url: 'https://ward.example.org', token })
 *     const user = await scriptward.users.create(projectId, { note: 'Ada' })
 */
export class Scriptward extends Resources {
  constructor({ url, token, fetch }: ScriptwardOptions) {
    super(connect({ baseUrl: url.replace(/\/+$/, ''), apiKey: token, fetch }))
  }
}

export type Connection = Client

/** All possible values of an API error's `type`. */
export type ErrorType = ErrorEnvelope['error']['type']

export type ConnectOptions = {
  /** URL of the server, such as `https://ward.example.org`. */
  readonly baseUrl: string
  /**
   * API key or token. Omit it in a browser: the session cookie authenticates, and a custom `fetch` adds the
   * required headers.
   */
  readonly apiKey?: string
  /** Custom `fetch`, for tests, proxies or browsers. */
  readonly fetch?: typeof globalThis.fetch
}

/**
 * Thrown if there was no complete response from the base URL. `cause` is the error from `fetch`, such as a refused connection,
 * an unknown host or an invalid certificate.
 */
export class UnreachableError extends Error {
  constructor(baseUrl: string, cause: TypeError) {
    const { code, message } = (cause.cause ?? cause) as Error & { readonly code?: string }
    super(`Could not reach ${baseUrl}: ${code ?? message}`, { cause: cause.cause ?? cause })
    this.name = 'UnreachableError'
  }
}

/** An error that the API returned in its error envelope. */
export class ServiceError extends Error {
  /** HTTP status. */
  readonly status: number
  /** Error number specific to the endpoint; -1 for errors that every endpoint can return. */
  readonly code: number
  /** Error type, such as `max_projects_reached`. Unique across the API. */
  readonly type: ErrorType | 'unknown'
  /** Identifies the request in the server's log. */
  readonly requestId: string
  /** Additional fields of the error, such as `failed`, `obfuscator_errors` or `retry_at`. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, error: Readonly<Record<string, unknown>>) {
    const { code, type, message, request_id, ...members } = error
    super(typeof message === 'string' ? message : `the server responded with status ${status}`)
    this.name = 'ServiceError'
    this.status = status
    this.code = typeof code === 'number' ? code : -1
    this.type = typeof type === 'string' ? (type as ErrorType) : 'unknown'
    this.requestId = typeof request_id === 'string' ? request_id : ''
    this.members = members
  }
}

/** Returns whether a caught value is an API error. With `type`, also checks for this type. */
export function isServiceError(error: unknown, type?: ErrorType): error is ServiceError {
  return error instanceof ServiceError && (type === undefined || error.type === type)
}

/**
 * Calls over the connection resolve to `{ data }` or, with `throwOnError: true`, throw a {@link ServiceError}
 * or an {@link UnreachableError}. A canceled call throws its signal's abort reason.
 */
export function connect({ baseUrl, apiKey, fetch }: ConnectOptions): Connection {
  const auth = apiKey === undefined ? {} : { auth: apiKey }
  const client = createClient(createConfig({ baseUrl, ...auth, ...(fetch ? { fetch } : {}) }))
  client.interceptors.error.use((error, response, _, { signal }) => {
    if (error instanceof TypeError) return new UnreachableError(baseUrl, error)
    if (!response || isThrown(error) || (signal?.aborted && error === signal.reason)) return error
    return new ServiceError(response.status, envelopeOf(error))
  })
  return client
}

/** Reading a response can fail after it has begun. A complete response that isn't JSON is not such a failure. */
function isThrown(error: unknown): boolean {
  return error instanceof Error && !(error instanceof SyntaxError)
}

function envelopeOf(body: unknown): Readonly<Record<string, unknown>> {
  const error = (body as { error?: unknown } | null)?.error
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
}
