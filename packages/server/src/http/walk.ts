/**
 * The walk of a request to its endpoint's `handle`: how often, who, path, query, body. Every step may refuse, and nothing
 * of the body counts before the caller is known.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { Refused, refuse } from '../domain/refusals.ts'
import type { Auth, Endpoint, Subjects } from '../endpoints/endpoint.ts'
import { onceThere, type Soon } from '../soon.ts'
import { authenticate, findToken } from './authenticate.ts'
import { findBadText, parseAscii, parseJson, readBytes } from './body.ts'
import { type Admission, NO_HEADERS, type RateLimits } from './rate-limits.ts'
import { type Repeatable, repeatableOf } from './repeats.ts'
import { type Check, compileCheck, isAllText, readQuery } from './validate.ts'

/** An endpoint with what is made of its declaration once. */
export type Route = {
  readonly endpoint: Endpoint
  readonly checkParams: Check
  /** Whether they are what they are in the path. */
  readonly hasTextParams: boolean
  readonly checkQuery: Check
  readonly checkBody: Check
  readonly bodyLimit: number
}

export type Incoming = {
  readonly id: string
  readonly ip: string
  readonly raw: IncomingMessage
  readonly headers: IncomingHttpHeaders
  readonly params: unknown
  readonly query: unknown
}

export type Walked = {
  /** For the answer, whatever it will be. */
  readonly headers: Admission['headers']
  readonly outcome: RefusedWalk | CalledWalk
}
/** `repeatable` when the same request may have been answered before its noun was gone. */
export type RefusedWalk = { readonly refused: Refused; readonly repeatable?: Repeatable }
export type CalledWalk = { readonly call: Call; readonly repeatable: Repeatable | undefined }
type Call = Parameters<Endpoint['handle']>[0]

/** What JSON may add to a script's own bytes: most characters stay one byte, some are escaped with one or five more. */
const ESCAPES = 2

export function routeOf(endpoint: Endpoint, config: Config): Route {
  const limits = { script: config.scriptLimit * ESCAPES + config.bodyLimit, import: config.importBodyLimit }
  return {
    endpoint,
    checkParams: compileCheck(endpoint.params, 'path'),
    hasTextParams: isAllText(endpoint.params),
    checkQuery: compileCheck(endpoint.query, 'query'),
    checkBody: compileCheck(endpoint.body, 'body'),
    bodyLimit: endpoint.bodyLimit === undefined ? config.bodyLimit : limits[endpoint.bodyLimit],
  }
}

/** What a walk needs besides the request. */
export type Walker = { readonly deps: Deps; readonly rates: RateLimits }

/** Answers what `next` makes of it: each promise on the way of a request that waits for its row costs as much as a look. */
export function walk<R>(
  { deps, rates }: Walker,
  route: Route,
  request: Incoming,
  next: (walked: Walked) => Soon<R>,
): Soon<R> {
  const { auth } = route.endpoint
  const { headers, query } = request
  const params = request.params as Record<string, string>
  const body = once(() => readBody(route, request))
  if (auth === 'client') {
    // Who proves by the body alone that he may is counted by whoever reads it.
    const called = readCall({ route, request, body }, undefined)
    return onceThere(called, (outcome) => next({ headers: NO_HEADERS, outcome }))
  }
  return onceThere(findToken(auth, { headers, params, query, body }), (token) => {
    const caller = { token, address: request.ip, now: deps.now() }
    return onceThere(rates.admit(caller), (early): Soon<R> => {
      if (early.refused) return next({ headers: early.headers, outcome: { refused: early.refused } })
      return onceThere(authenticate(deps, auth, { token, params }), (subject) => {
        const isKey = !(subject instanceof Refused && subject.reason === 'unauthorized')
        return onceThere(rates.settle(caller, isKey), (late) => {
          const walked = walkOn(deps, { route, request, body }, { early, late, subject, token })
          return onceThere(walked, next)
        })
      })
    })
  })
}

/** Somebody who was looked for, and what the rate limits said before and after that. */
type Sought = {
  readonly early: Admission
  readonly late: Admission
  readonly subject: Subjects[Auth] | Refused
  readonly token: string | undefined
}

function walkOn(deps: Deps, read: Read, { early, late, subject, token }: Sought): Soon<Walked> {
  // At most one of the two counted the request.
  const headers = late.headers === NO_HEADERS ? early.headers : late.headers
  if (late.refused) return { headers, outcome: { refused: late.refused } }
  const outcome =
    subject instanceof Refused ? refusedOf(deps, read, { refused: subject, token }) : readCall(read, subject)
  return onceThere(outcome, (known) => ({ headers, outcome: known }))
}

type Read = { readonly route: Route; readonly request: Incoming; readonly body: () => Promise<Body> }
type Parts = Omit<Call, 'body' | 'origin'>

function readCall(read: Read, subject: Subjects[Auth]): Soon<Walked['outcome']> {
  const { route, request, body } = read
  const params = paramsOf(route, request)
  if (params === undefined) return { refused: refuse('not_found') }
  const query = queryOf(route, request)
  if (query instanceof Refused) return { refused: query }
  const parts = { params, query, subject }
  if (!takesBody(route.endpoint)) return callOf(read, parts, NO_BODY)
  return body().then((one) => callOf(read, parts, checkedBody(route, one)))
}

function callOf({ route, request }: Read, parts: Parts, body: Body): Walked['outcome'] {
  if (body instanceof Refused) return { refused: body }
  const origin = { requestId: request.id, address: request.ip, headers: request.headers }
  const call = { ...parts, body: body.value, origin }
  const repeatable = repeatableOf(route.endpoint, call)
  return repeatable instanceof Refused ? { refused: repeatable } : { call, repeatable }
}

/** Whoever sends a removal again finds nothing there any more, and still is to have the answer of the first one. */
async function refusedOf(
  deps: Deps,
  read: Read,
  { refused, token }: { readonly refused: Refused; readonly token: string | undefined },
): Promise<Walked['outcome']> {
  const { endpoint } = read.route
  const alone = { refused: inWordsOf(endpoint, refused) }
  const isSentAgain = refused.reason === 'not_found' && 'idempotency-key' in read.request.headers
  if (!isSentAgain || endpoint.method !== 'POST') return alone
  const customer = await authenticate(deps, 'customer', { token, params: {} })
  const outcome: Walked['outcome'] = customer instanceof Refused ? alone : await readCall(read, customer)
  const { repeatable } = outcome
  return repeatable === undefined ? alone : { ...alone, repeatable }
}

function inWordsOf({ missing }: Endpoint, refused: Refused): Refused {
  return refused.reason === 'not_found' && missing !== undefined ? refuse(missing) : refused
}

/** Undefined when they are none of this endpoint. */
function paramsOf(route: Route, { raw, params: sent }: Incoming): Record<string, unknown> | undefined {
  const params = route.hasTextParams
    ? (sent as Record<string, string>)
    : readQuery(route.endpoint.params, sent)
  // Only what was escaped can be text that no database holds.
  const isEscaped = raw.url?.includes('%') !== false
  if (route.checkParams(params).length > 0 || (isEscaped && findBadText(params, 'path'))) return undefined
  return params
}

function queryOf(
  { endpoint, checkQuery }: Route,
  { raw, query: sent }: Incoming,
): Record<string, unknown> | Refused {
  const query = raw.url?.includes('?') === false ? NO_QUERY : readQuery(endpoint.query, sent)
  const failed = checkQuery(query)
  return failed.length > 0 ? refuse('invalid_request', { failed }) : (findBadText(query, 'query') ?? query)
}

const NO_QUERY: Record<string, unknown> = Object.freeze({})

type Body = { readonly value: unknown } | Refused
const NO_BODY: Body = { value: {} }

/** For the one kind of caller who may name himself in the body, which then is read before the rest of the walk. */
function once(read: () => Promise<Body>): () => Promise<Body> {
  let body: Promise<Body> | undefined
  return () => {
    body ??= read()
    return body
  }
}

async function readBody({ endpoint, bodyLimit }: Route, { raw, headers }: Incoming): Promise<Body> {
  if (!takesBody(endpoint)) return NO_BODY
  const bytes = await readBytes(raw, bodyLimit)
  if (bytes instanceof Refused) return bytes
  if (bytes.length > 0 && !acceptsType(endpoint, headers['content-type']))
    return refuse('unsupported_media_type')
  return endpoint.consumes === 'text' ? parseAscii(bytes) : parseJson(bytes)
}

function checkedBody({ checkBody }: Route, body: Body): Body {
  if (body instanceof Refused) return body
  const failed = checkBody(body.value)
  return failed.length > 0 ? refuse('invalid_request', { failed }) : body
}

function takesBody({ method, readsBody }: Endpoint): boolean {
  return method !== 'GET' || readsBody === true
}

const JSON_TYPE = /^application\/json *(;|$)/i
const TEXT_TYPE = /^(text\/plain|application\/octet-stream) *(;|$)/i

/** Hosts of protected scripts send what type they please, or none; management requests say that they are JSON. */
function acceptsType({ consumes }: Endpoint, contentType: string | undefined): boolean {
  if (contentType === undefined) return consumes !== undefined
  const isText = consumes !== undefined && TEXT_TYPE.test(contentType)
  return isText || (consumes !== 'text' && JSON_TYPE.test(contentType))
}
