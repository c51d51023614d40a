/**
 * The type of an endpoint. One declaration defines the route, the validation, the OpenAPI operation, the
 * derived tests and the metric label. Nothing here depends on an HTTP library.
 */
import { type Static, type TSchema, Type } from 'typebox'
import type { Deps } from '../deps.ts'
import type { ChangeEvent } from '../features/abuse/security-events.ts'
import type { Caller } from '../features/access/caller.ts'
import type { Identified } from '../features/access/callers.ts'
import type { Scope } from '../features/access/scopes.ts'
import type { CustomerRow } from '../features/accounts/store/customers.ts'
import type { ListedEntries } from '../features/imports/formats/entries.ts'
import type { UserRow } from '../features/keys/store/users.ts'
import type { SignedIn } from '../features/people/store/sign-ins.ts'
import type { ProjectRow } from '../features/projects/store/projects.ts'
import type {
  AdCheckpointSubject,
  AdSystemSubject,
  PlanSubject,
} from '../features/projects/store/subjects.ts'
import type { ScriptRow } from '../features/scripts/store/scripts.ts'
import type { Limit } from '../platform/limits/rules.ts'
import type { Session } from '../protocol/sessions/session.ts'
import type { EndpointReason, GeneralReason, Refused } from './refusals.ts'

/**
 * Determines who may call the endpoint, and which resource in the path is loaded for the call. Missing
 * resources and other accounts' resources fail in the same way before `handle` runs, so no handler can forget
 * the ownership check.
 */
export type Subjects = {
  none: undefined
  client: undefined
  customerByPathKey: CustomerRow
  /** Like `customer`, but the key may also be sent as the `api_key` field of the query or the body. */
  account: CustomerRow
  customer: CustomerRow
  admin: CustomerRow
  project: { customer: CustomerRow; project: ProjectRow }
  script: { customer: CustomerRow; project: ProjectRow; script: ScriptRow }
  user: { customer: CustomerRow; project: ProjectRow; user: UserRow }
  session: { customer: CustomerRow; session: Session }
  plan: PlanSubject
  adSystem: AdSystemSubject
  adCheckpoint: AdCheckpointSubject
  /** A user who is signed in through a browser, with or without an account. */
  person: SignedIn
  /** Any caller: an API key, a token or a signed-in user. */
  caller: Identified
}
export type Auth = keyof Subjects

/**
 * The part of the transport that a handler may see: the headers, and the client's IP address as determined by
 * the proxy settings.
 */
export type Origin = {
  readonly requestId: string
  readonly address: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /**
   * Request-scoped values: a log that includes the request ID, and spans that are children of the request's
   * span. Absent outside a request.
   */
  readonly own?: Pick<Deps, 'log' | 'spans'>
  /**
   * Returns a signal that aborts if the connection closes before the response is sent. Absent if there is no
   * connection.
   */
  readonly closed?: () => AbortSignal
}

/** Response of an endpoint that `produces: 'text'`. */
export type Text = {
  readonly status: number
  readonly contentType: string
  /** A Buffer if the client asked for bytes. */
  readonly text: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Response of an endpoint that `produces: 'stream'` (pieces of its JSON) or `produces: 'events'` (one
 * server-sent event per piece). Each piece is written as soon as it is generated.
 */
export type Stream = { readonly parts: AsyncIterable<string> }

/**
 * A CSV file instead of JSON, for an endpoint that offers both. Its lines are written as they are generated.
 */
export class CsvStream {
  readonly fileName: string
  readonly parts: AsyncIterable<string>

  constructor(fileName: string, parts: AsyncIterable<string>) {
    this.fileName = fileName
    this.parts = parts
  }
}

/** A response that also sets cookies, each a complete `Set-Cookie` value. */
export class WithCookies<T extends object = object> {
  readonly answer: T
  readonly cookies: readonly string[]

  constructor(answer: T, cookies: readonly string[]) {
    this.answer = answer
    this.cookies = cookies
  }
}

export type Call<A extends Auth, P extends TSchema, Q extends TSchema, B extends TSchema> = {
  readonly subject: Subjects[A]
  readonly caller: A extends 'none' | 'client' ? undefined : Caller
  readonly params: Static<P>
  readonly query: Static<Q>
  readonly body: Static<B>
  /**
   * Entries of an import whose body was parsed in the worker pool. The lists in `body` are then placeholders.
   */
  readonly entries?: ListedEntries | undefined
  /** Digest that identifies a body parsed in the worker pool. */
  readonly digest?: string | undefined
  readonly origin: Origin
}

export type Declaration<
  A extends Auth,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends TSchema,
  F extends EndpointReason,
> = {
  /** Operation ID, SDK method, metric label and test title: `projects.edit`. */
  readonly name: string
  readonly summary: string
  /** A paragraph for the reference: purpose, effects and surprises. It must not repeat the summary. */
  readonly description?: string
  /**
   * Replaces the example that the reference generates from the schemas, for endpoints where that isn't
   * informative enough.
   */
  readonly example?: {
    readonly params?: object
    readonly query?: object
    readonly body?: unknown
    readonly answer?: unknown
  }
  readonly method: 'GET' | 'POST' | 'PUT'
  /** `:noun` marks a parameter, in the interface's notation. */
  readonly path: string
  readonly auth: A
  /** The scope that the caller needs; null if any caller is allowed, with or without credentials. */
  readonly scope: Scope | null
  /**
   * For account-wide endpoints: `handle` limits the result to the projects that the caller may access.
   * Without this flag, a caller restricted to some projects gets an error.
   */
  readonly filtersByProject?: true
  /** The endpoint reads users. A caller who may only issue users sees only those that they issued. */
  readonly issued?: true
  /** A signed-in user must have logged in recently. */
  readonly requiresRecentAuth?: true
  /**
   * True for a GET that changes data (the unversioned API has one): it gets an audit entry, and cookies do
   * not authorize it. False for a POST that only starts an action and does not get an audit entry.
   */
  readonly changes?: boolean
  /** The log record for a security-relevant change. Changes by operators always have one. */
  readonly event?: ChangeEvent
  /** `params`, `query` and `body` each default to {@link Nothing}. */
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** The complete response including `success: true`; undeclared fields are not sent. */
  readonly response: R
  /**
   * Maps each reason to the endpoint's code. Omitted if no reason other than a {@link GeneralReason} can
   * occur.
   */
  readonly failures?: Readonly<Record<F, number>>
  /** The reason for a missing resource in the path, if it isn't `not_found`. */
  readonly missing?: NoInfer<F>
  /** The query or body also refers to a resource, which may be missing or belong to another account. */
  readonly namesNoun?: true
  /**
   * The response may have many thousands of entries, which `JSON.stringify` writes three times as fast as
   * code compiled from a schema. In that case, undeclared fields are not removed, so `handle` must not return
   * any.
   */
  readonly isLong?: true
  /** `handle` may return a {@link CsvStream} instead if the client asks for it. */
  readonly offersCsv?: true
  /**
   * Number of requests that one call counts as toward its API key's rate limit, for slow endpoints. The
   * default is 1.
   */
  readonly cost?: number
  /** `handle` may wait for a client; the caller's permission is rechecked in the meantime. */
  readonly waits?: true
  /** A GET that also accepts a body, because the interface defines fields for it. */
  readonly readsBody?: true
  /**
   * `answer`: the response contains no secret, so long responses are compressed. `file`: the response is also
   * identical for all clients until the server is updated, so they may cache and revalidate it.
   */
  readonly compresses?: 'answer' | 'file'
  /**
   * Maximum size of the body in bytes, or the setting that defines it, if it isn't the common limit of 1 MiB.
   */
  readonly bodyLimit?: 'script' | 'import' | number
  /** Maximum number of object fields and list entries in the body, if more than 10,000. */
  readonly mostMembers?: number
  /**
   * For `auth: 'client'`: the rate limit per IP address that is checked before the body is read. Every client
   * endpoint with a body has this limit.
   */
  readonly addressLimit?: Extract<Limit, 'execFlood' | 'beatAddress' | 'chatAddress'>
  /**
   * A field of the body whose strings the endpoint validates itself, so that one invalid string doesn't cause
   * the others to be rejected.
   */
  readonly judges?: string
  /**
   * `text`: the body is an unparsed ASCII string. `anyJson`: JSON, also with a plain-text content type, which
   * other sites' pages may send without a CORS preflight. `signedJson`: the unparsed bytes of a JSON body,
   * whose signature `handle` verifies.
   */
  readonly consumes?: 'text' | 'anyJson' | 'signedJson'
  /**
   * `text`: `handle` returns a {@link Text}, which `response` describes. `stream`: it returns a {@link
   * Stream} whose pieces together form a `response`. `events`: like `stream`, but each piece is one
   * server-sent event that is sent immediately, and `response` describes its data.
   */
  readonly produces?: 'text' | 'stream' | 'events'
  handle(call: Call<A, P, Q, B>, deps: Deps): Promise<Outcome<Omit<Static<R>, 'success'>, NoInfer<F>>>
}

type Outcome<T extends object, F extends EndpointReason> =
  | T
  | WithCookies<T>
  | CsvStream
  | Text
  | Stream
  | Refused<F | GeneralReason>

/** A query, body or parameter list without fields. Any field is rejected. */
export const Nothing = Type.Object({}, { additionalProperties: false })

/** Defaults for the fields that a declaration may omit. */
const defaults = { params: Nothing, query: Nothing, body: Nothing, failures: {} }

/** An endpoint with its types erased, so that long lists type-check fast. */
export type Endpoint = Omit<
  Declaration<Auth, TSchema, TSchema, TSchema, TSchema, EndpointReason>,
  'handle' | keyof typeof defaults
> & {
  readonly params: TSchema
  readonly query: TSchema
  readonly body: TSchema
  readonly failures: Readonly<Partial<Record<EndpointReason, number>>>
  handle(call: Call<Auth, TSchema, TSchema, TSchema>, deps: Deps): Promise<object | Text | Stream | Refused>
}

export function endpoint<
  A extends Auth,
  R extends TSchema,
  P extends TSchema = typeof Nothing,
  Q extends TSchema = typeof Nothing,
  B extends TSchema = typeof Nothing,
  F extends EndpointReason = never,
>(declaration: Declaration<A, P, Q, B, R, F>): Endpoint {
  return { ...defaults, ...declaration } as unknown as Endpoint
}

type Handler<
  A extends Auth,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends TSchema,
  F extends EndpointReason,
> = Declaration<A, P, Q, B, R, F>['handle']

/**
 * Declares one operation in the unversioned API and under `/v1`. `v1` contains the differences. By default,
 * its name and path are derived from the unversioned ones. It needs its own `handle` unless its fields and
 * response are the same.
 */
export function inBothFamilies<
  A extends Auth,
  R extends TSchema,
  P extends TSchema = typeof Nothing,
  Q extends TSchema = typeof Nothing,
  B extends TSchema = typeof Nothing,
  F extends EndpointReason = never,
  A1 extends Auth = A,
  P1 extends TSchema = P,
  Q1 extends TSchema = Q,
  B1 extends TSchema = B,
  R1 extends TSchema = R,
>(
  one: Declaration<A, P, Q, B, R, F>,
  differing?: {
    readonly v1: Partial<Omit<Declaration<A1, P1, Q1, B1, R1, F>, 'method' | 'failures' | 'handle'>> &
      ([Call<A1, P1, Q1, B1>, Static<R>] extends [Call<A, P, Q, B>, Static<R1>]
        ? { handle?: Handler<A1, P1, Q1, B1, R1, F> }
        : { handle: Handler<A1, P1, Q1, B1, R1, F> })
  },
): Endpoint[] {
  const first = { ...defaults, ...one }
  const v1 = { ...first, name: `v1.${one.name}`, path: `/v1${one.path}`, ...differing?.v1 }
  return [first, v1] as unknown as Endpoint[]
}
