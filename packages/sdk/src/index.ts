/**
 * The SDK: `new Scriptward({ url, token })` has a method for each operation of `/v1`, by resource. Where the size of a
 * bundle matters, `connect` and a function for each operation do the same without the class. Methods, functions and types
 * are generated.
 */
import { type Client, createClient, createConfig } from './generated/client/index.ts'
import { Resources } from './generated/resources.gen.ts'
import type { Error as ErrorEnvelope } from './generated/types.gen.ts'

export type { CallOptions, ChangeOptions } from './call.ts'
export * from './generated/sdk.gen.ts'
export * from './generated/types.gen.ts'
export { entriesOf, type ListPage } from './pages.ts'

export type ScriptwardOptions = {
  /** URL of the service, such as `https://ward.example.org`. */
  readonly url: string
  /** API key or token. Public operations, such as `tiers.list`, need none. */
  readonly token?: string
  /** Another `fetch`, for tests or proxies. */
  readonly fetch?: typeof globalThis.fetch
}

/**
 * One service under one credential. Methods resolve to the response's data and throw a {@link ServiceError} or an
 * {@link UnreachableError}.
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

/** Every `type` that an error of the service may have. */
export type ErrorType = ErrorEnvelope['error']['type']

export type ConnectOptions = {
  /** Address of the service, such as `https://ward.example.org`. */
  readonly baseUrl: string
  /** API key or token. Absent in a browser, where the cookie of a sign-in counts and `fetch` adds what goes with it. */
  readonly apiKey?: string
  /** Another `fetch`, for tests, proxies or browsers. */
  readonly fetch?: typeof globalThis.fetch
}

/** Nothing answered at the base URL. `cause` is what `fetch` threw: a refused connection, an unknown host, a certificate. */
export class UnreachableError extends Error {
  constructor(baseUrl: string, cause: TypeError) {
    const { code, message } = (cause.cause ?? cause) as Error & { readonly code?: string }
    super(`Could not reach ${baseUrl}: ${code ?? message}`, { cause: cause.cause ?? cause })
    this.name = 'UnreachableError'
  }
}

/** A "no" of the service in the form of its error envelope. */
export class ServiceError extends Error {
  /** HTTP status. */
  readonly status: number
  /** Number that the endpoint gives this error; -1 for errors that every endpoint has. */
  readonly code: number
  /** Unique over the whole service: `max_projects_reached`. */
  readonly type: ErrorType | 'unknown'
  /** Finds the request in the service's log. */
  readonly requestId: string
  /** Whatever else the error says, such as `failed`, `obfuscator_errors` or `retry_at`. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, error: Readonly<Record<string, unknown>>) {
    const { code, type, message, request_id, ...members } = error
    super(typeof message === 'string' ? message : `the service answered ${status}`)
    this.name = 'ServiceError'
    this.status = status
    this.code = typeof code === 'number' ? code : -1
    this.type = typeof type === 'string' ? (type as ErrorType) : 'unknown'
    this.requestId = typeof request_id === 'string' ? request_id : ''
    this.members = members
  }
}

/** Whether something caught is a "no" of the service, and of this type when one is named. */
export function isServiceError(error: unknown, type?: ErrorType): error is ServiceError {
  return error instanceof ServiceError && (type === undefined || error.type === type)
}

/**
 * Calls over the connection answer `{ data }` or, with `throwOnError: true`, throw a {@link ServiceError} or an
 * {@link UnreachableError}; a canceled call throws what its signal was aborted with.
 */
export function connect({ baseUrl, apiKey, fetch }: ConnectOptions): Connection {
  const auth = apiKey === undefined ? {} : { auth: apiKey }
  const client = createClient(createConfig({ baseUrl, ...auth, ...(fetch ? { fetch } : {}) }))
  client.interceptors.error.use((error, response) => {
    if (response) return new ServiceError(response.status, envelopeOf(error))
    return error instanceof TypeError ? new UnreachableError(baseUrl, error) : error
  })
  return client
}

function envelopeOf(body: unknown): Readonly<Record<string, unknown>> {
  const error = (body as { error?: unknown } | null)?.error
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
}
