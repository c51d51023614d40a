/**
 * What an endpoint is. One declaration gives the route, the validation, the OpenAPI operation, the derived tests and the
 * metric label. Nothing here depends on an HTTP library.
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
 * Who may call and which noun of the path is loaded for the call. A noun that is missing and one of another
 * customer are refused alike before `handle` runs, so ownership cannot be forgotten there.
 */
export type Subjects = {
  none: undefined
  client: undefined
  customerByPathKey: CustomerRow
  /** Like `customer`, but the key may also be the member `api_key` of the query or the body. */
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
  /** A person in a browser, whether or not they have an account. */
  person: SignedIn
  /** Any of them: an API key, a token, a person. */
  caller: Identified
}
export type Auth = keyof Subjects

/** What a handler may see of the transport: the client's address as the proxy settings resolve it, and headers. */
export type Origin = {
  readonly requestId: string
  readonly address: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Of the request itself: the log with its id, and the spans below it. Absent where there is no request. */
  readonly own?: Pick<Deps, 'log' | 'spans'>
  /** A signal that aborts when the connection closes before the answer; absent where there is no connection. */
  readonly closed?: () => AbortSignal
}

/** Answer of an endpoint that `produces: 'text'`. */
export type Text = {
  readonly status: number
  readonly contentType: string
  /** Or bytes, where the client asked for them. */
  readonly text: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Answer of an endpoint that `produces: 'stream'`: the texts that make up its JSON, written as they come; or of one that
 * `produces: 'events'`: server-sent events, each a text.
 */
export type Stream = { readonly parts: AsyncIterable<string> }

/** A file of CSV instead of JSON, for an endpoint that answers either; its texts are written as they come. */
export class CsvStream {
  readonly fileName: string
  readonly parts: AsyncIterable<string>

  constructor(fileName: string, parts: AsyncIterable<string>) {
    this.fileName = fileName
    this.parts = parts
  }
}

/** An answer that also sets cookies, each a whole `Set-Cookie` line. */
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
  /** Those of an import whose body was read in the pool; the lists in `body` are stand-ins then. */
  readonly entries?: ListedEntries | undefined
  /** Of such a body, to tell it from others. */
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
  /** Operation id, SDK method, metric label and test title: `projects.edit`. */
  readonly name: string
  readonly summary: string
  /** A paragraph for the reference: what it is for, what it changes, and what surprises; not the summary again. */
  readonly description?: string
  /** What the reference shows where what it makes of the schemas does not tell enough. */
  readonly example?: {
    readonly params?: object
    readonly query?: object
    readonly body?: unknown
    readonly answer?: unknown
  }
  readonly method: 'GET' | 'POST' | 'PUT'
  /** `:noun` marks a parameter, as the interface writes it. */
  readonly path: string
  readonly auth: A
  /** What the caller must be allowed to do; null where any caller may call, with or without credentials. */
  readonly scope: Scope | null
  /**
   * For endpoints of a whole account: `handle` answers a caller with some projects for those alone. Without it such a
   * caller is refused.
   */
  readonly narrows?: true
  /** It reads users, and answers a caller who may only issue users for those that they issued. */
  readonly issued?: true
  /** A person needs a fresh sign-in. */
  readonly fresh?: true
  /**
   * True for a GET that changes something, as the interface has one: it gets an audit entry, and no cookie opens it. False
   * for a POST that only begins something, and gets no entry.
   */
  readonly changes?: boolean
  /** The record that the change leaves in the log, where it concerns security; those of operators have one without it. */
  readonly event?: ChangeEvent
  /** Of these three, the ones left out have no members: {@link Nothing}. */
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** The whole answer, `success: true` included; members that it does not declare are not sent. */
  readonly response: R
  /** Reason → the code that this endpoint gives it. Left out where nothing but a {@link GeneralReason} can occur. */
  readonly failures?: Readonly<Record<F, number>>
  /** What a noun of the path that is missing is refused with, where it is not `not_found`. */
  readonly missing?: NoInfer<F>
  /** Query or body name a noun too, which may be missing or another customer's. */
  readonly namesNoun?: true
  /**
   * The answer may have many thousands of entries, which `JSON.stringify` writes three times as fast as code made of a
   * schema. Members that `response` lacks are not left out then, so `handle` must not return any.
   */
  readonly isLong?: true
  /** `handle` may answer a {@link CsvStream} instead, for clients that ask for it. */
  readonly offersCsv?: true
  /** How many requests it counts as in the rate limit of its API key, for what takes long; 1 unless given. */
  readonly cost?: number
  /** `handle` may wait for a client; the caller's right to the answer is checked meanwhile. */
  readonly waits?: true
  /** A GET that takes a body too, because the interface gives members to it. */
  readonly readsBody?: true
  /**
   * `answer`: it holds no secret, so a long one is compressed. `file`: it is also the same text for all clients until the
   * service is updated, so they may cache it and revalidate.
   */
  readonly compresses?: 'answer' | 'file'
  /** Largest body in bytes, or the setting that says it, when it is not the common limit of 1 MiB. */
  readonly bodyLimit?: 'script' | 'import' | number
  /** Members of objects and entries of lists that its largest body has, where it is more than 10,000. */
  readonly mostMembers?: number
  /**
   * For `auth: 'client'`: the limit that a request counts against by its address, before anything of its body is read.
   * Every such endpoint that takes a body has one.
   */
  readonly addressLimit?: Extract<Limit, 'execFlood' | 'beatAddress'>
  /** A member of the body whose texts the endpoint judges itself, so that a bad one does not refuse all others. */
  readonly judges?: string
  /**
   * `text`: the body is an ASCII string as it was sent. `anyJson`: JSON, also with the type of plain text, which pages of
   * other sites may send without a CORS preflight.
   */
  readonly consumes?: 'text' | 'anyJson'
  /**
   * `text`: `handle` answers a {@link Text}; `response` then describes the text. `stream`: it answers a
   * {@link Stream}, whose texts together are a `response`. `events`: the same, but each text is one server-sent event,
   * sent as soon as it is there, and `response` describes what they carry.
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

/** A query, body or parameter list without members; any member is refused. */
export const Nothing = Type.Object({}, { additionalProperties: false })

/** Values of the fields that a declaration may leave out. */
const defaults = { params: Nothing, query: Nothing, body: Nothing, failures: {} }

/** An endpoint with its types erased, so that a long list type-checks fast. */
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
 * One operation in the unversioned family and under `/v1`. `v1` carries what differs there; its name and path follow from
 * the first ones unless given. It needs a `handle` unless the first one takes its members and answers with its response.
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
