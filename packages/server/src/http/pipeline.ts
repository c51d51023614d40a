/**
 * How a request reaches an endpoint, in the order that Fastify runs the steps. Each step may fail:
 *
 * 1. `identifyCaller`, before the body is read: API key, rate limit, account and resource in the path;
 *    without an API key, the IP address's rate limit.
 * 2. Fastify collects the body, up to the route's limit. `BodyPace` limits the speed of large bodies.
 * 3. `identifyByBody`, for the few endpoints whose body may contain the API key.
 * 4. Fastify validates the path and query with the endpoint's schemas.
 * 5. `callEndpoint`: body, idempotency, `handle`, response.
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { type Auth, CsvStream, type Endpoint, type Stream, type Subjects } from '../api/endpoint.ts'
import { missingSubject } from '../api/missing.ts'
import { Refused, refuse, refuseMissing } from '../api/refusals.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import { limitAddress } from '../features/abuse/attempts.ts'
import { reportLimit } from '../features/abuse/security-events.ts'
import type { Caller } from '../features/access/caller.ts'
import type { Credential } from '../features/access/credential.ts'
import { markPathKey, markUse } from '../features/access/uses.ts'
import type { CustomerRow } from '../features/accounts/store/customers.ts'
import { callAudited } from '../features/audit/audited-call.ts'
import { noSpan } from '../platform/tracing/spans.ts'
import { type Admitted, authenticate, type Given } from './authenticate.ts'
import { type Body, collectBody, readAnyBody, readBody } from './bodies/body.ts'
import type { BodyPace } from './bodies/body-pace.ts'
import { type BodyRoom, SMALL_BYTES } from './bodies/body-room.ts'
import { compressAnswer, type PublicFile, packFile, respondFile } from './bodies/compression.ts'
import { type Check, compileCheck } from './bodies/validate.ts'
import { apiKeyIn, findCredential, keyOf, shownParams } from './credential.ts'
import { type Idempotency, type Repeatable, repeatableOf } from './idempotency.ts'
import { EndedEarly, type LiveRequests, type LongCaller, viewOf } from './live-requests.ts'
import type { RateLimits } from './rate-limits.ts'
import { countRefused, noteRefused } from './refused.ts'
import { type Answer, answerOutcome, respond, respondRefusal } from './respond.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller and the resource in the path. */
    subject: Subjects[Auth]
    caller: Caller | undefined
    /** The error for the request, unless its body resolves it. It takes precedence over later errors. */
    refusal: Refused | undefined
  }
}

export type Pipeline = {
  readonly deps: Deps
  readonly rates: RateLimits
  readonly idempotency: Idempotency
  readonly long: LiveRequests
  readonly room: BodyRoom
  readonly pace: BodyPace
  /** Records an exception after the response has started. */
  failed(request: FastifyRequest, thrown: unknown): void
}
type Route = Pipeline & {
  readonly endpoint: Endpoint
  readonly checkBody: Check
  /** The cached response of an endpoint whose response is the same for everyone. */
  readonly file: { packed?: PublicFile }
}
type Call = Parameters<Endpoint['handle']>[0]
type Params = Readonly<Record<string, string>>

/**
 * JSON escapes some characters in a script with one to five extra characters. On average, a script grows to
 * less than twice its size.
 */
const JSON_OVERHEAD = 2
/** Seconds after which an account should retry if its bodies already use all of its allowed memory. */
const FULL_RETRY_S = 10

export function addEndpoint(app: FastifyInstance, pipeline: Pipeline, endpoint: Endpoint): void {
  const route = { ...pipeline, endpoint, checkBody: compileCheck(endpoint.body, 'body'), file: {} }
  app.route({
    method: isOpenRead(endpoint) ? ['GET', 'HEAD'] : endpoint.method,
    url: endpoint.path,
    bodyLimit: bodyLimitOf(endpoint, pipeline.deps.config),
    schema: schemaOf(endpoint),
    config: { endpoint },
    onRequest: (request, reply) => identifyCaller(route, request, reply),
    preParsing: async (request, reply, body) => paced(route, { request, reply }, body as Readable),
    preValidation:
      endpoint.readsBody && endpoint.method === 'GET'
        ? (request, reply) => readGetBody(route, request, reply)
        : (request, reply) => identifyByBody(route, request, reply),
    handler: (request, reply) => callEndpoint(route, request, reply),
    ...(endpoint.compresses === 'answer' && { onSend: compressAnswer }),
  })
}

/**
 * Returns whether a monitor may call the endpoint with HEAD: it changes nothing and is the same for everyone.
 */
function isOpenRead({ method, auth, changes }: Endpoint): boolean {
  return method === 'GET' && auth === 'none' && changes !== true
}

/**
 * The body is checked by `callEndpoint`, because query errors come first. The response isn't declared,
 * because Fastify would compile the schemas of all responses on every startup, although most are never used.
 */
function schemaOf({ params, query }: Endpoint): FastifySchema {
  return { params, querystring: query }
}

function bodyLimitOf({ bodyLimit }: Endpoint, config: Config): number {
  if (typeof bodyLimit === 'number') return Math.min(bodyLimit, config.bodyLimit)
  if (bodyLimit === 'script') return config.scriptLimit * JSON_OVERHEAD + config.bodyLimit
  return bodyLimit === 'import' ? config.importBodyLimit : config.bodyLimit
}

async function identifyCaller(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { auth } = route.endpoint
  if (auth === 'client') return countSender(route, request, reply)
  const credential = findCredential(route.deps.config, route.endpoint, request)
  if (credential instanceof Refused) return respondRefusal(reply, credential)
  if (credential !== undefined || auth !== 'account') return admit(route, credential, request, reply)
  const refused = await route.rates.admitUnnamed(request.ip, route.deps.now())
  if (refused !== undefined) {
    reportLimit(route.deps, 'no_credential', request.ip)
    return respondRefusal(reply, refused)
  }
  request.refusal = refuse('unauthorized')
}

/**
 * Only the body identifies the sender, but reading it is expensive, so the request is charged to the IP
 * address first.
 */
async function countSender(
  { deps, endpoint }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (endpoint.addressLimit === undefined) return
  const refused = await limitAddress(deps, endpoint.addressLimit, request.ip)
  if (refused !== undefined) return respondRefusal(reply, refused)
}

/** Fastify ignores the body of a GET request, but one endpoint of the interface uses it. */
async function readGetBody(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { raw, headers, routeOptions } = request
  // Keeps the connection usable for a response even if the body isn't read completely.
  const chunks = raw.iterator({ destroyOnReturn: false })
  const body = isSmall(request) ? chunks : paced(route, { request, reply }, Readable.from(chunks))
  const bytes = await collectBody(body, headers, routeOptions.bodyLimit)
  if (bytes instanceof Refused) return respondRefusal(reply, request.refusal ?? bytes)
  request.body = bytes
}

/** The body may identify an account. Until the account is known, nothing else in the body is used. */
async function identifyByBody(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  if (route.endpoint.auth !== 'account' || request.refusal === undefined) return
  const body = readBody(route.endpoint, request)
  request.refusal = undefined
  return admit(route, keyOf(body instanceof Refused ? undefined : apiKeyIn(body.value)), request, reply)
}

async function admit(
  route: Route,
  credential: Credential | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { deps, rates, endpoint } = route
  const sent = { token: credential?.text, address: request.ip, now: deps.now(), cost: endpoint.cost ?? 1 }
  const early = await rates.admit(sent)
  reply.headers(early.headers)
  if (early.refused) return respondRefusal(reply, early.refused)
  const given = { credential, params: request.params as Params, address: request.ip }
  const admitted = await authenticate(deps, endpoint, given)
  const isUnknown = isRefusedAs(admitted, 'unauthorized')
  const late = await rates.settle(sent, early, !isUnknown)
  reply.headers(late.headers)
  if (late.refused && isUnknown) reportLimit(deps, 'wrong_credential', request.ip)
  if (late.refused) return respondRefusal(reply, late.refused)
  if (!(admitted instanceof Refused)) {
    const refused = (await admitShared(route, admitted, sent)) ?? refuseBody(route, admitted, request, reply)
    return refused ? respondRefusal(reply, refused) : enter(route, admitted, request)
  }
  await noteRefused(route, credential, { request, refused: admitted })
  return isRefusedAs(admitted, 'not_found')
    ? refuseResource(route, given, request, reply)
    : respondRefusal(reply, admitted)
}

/** Tokens and dashboard sessions of one account share a limit. */
async function admitShared(
  { rates }: Route,
  { identified }: Admitted,
  sent: Parameters<RateLimits['admitAccount']>[1],
): Promise<Refused | undefined> {
  const isShared = identified?.token !== undefined || identified?.signedIn !== undefined
  const id = isShared ? identified.customer?.id : undefined
  return id === undefined ? undefined : (await rates.admitAccount(id, sent)).refused
}

function refuseBody(
  { room }: Route,
  { subject }: Pick<Admitted, 'subject'>,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Refused<'rate_limited'> | undefined {
  const hasRoom = room.take(ownerOf({ subject, ip: request.ip }), mostBytes(request), raw)
  return hasRoom ? undefined : refuse('rate_limited', { retry_after: FULL_RETRY_S })
}

/** A body without a length is assumed to have the maximum length. */
function mostBytes({ headers, routeOptions }: FastifyRequest): number {
  const length = headers['transfer-encoding']
    ? routeOptions.bodyLimit
    : Number(headers['content-length'] ?? 0)
  return Math.min(length, routeOptions.bodyLimit)
}

function isSmall(request: FastifyRequest): boolean {
  return mostBytes(request) <= SMALL_BYTES
}

function paced(
  { pace }: Route,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  body: Readable,
): Readable {
  return isSmall(request)
    ? body
    : pace.read(ownerOf(request), { body, bytes: mostBytes(request) }, closedSignal(reply.raw))
}

async function enter(
  { deps, endpoint }: Route,
  { subject, caller, identified }: Admitted,
  request: FastifyRequest,
): Promise<void> {
  request.subject = subject
  request.caller = caller
  if (identified) await markUse(deps, identified, request.ip)
  if (endpoint.auth === 'customerByPathKey') await markPathKey(deps, subject as CustomerRow)
}

function isRefusedAs(admitted: Admitted | Refused, reason: Refused['reason']): boolean {
  return admitted instanceof Refused && admitted.reason === reason
}

/**
 * The resource of a retried removal no longer exists, so the retry gets the first attempt's stored response,
 * if there is one.
 */
async function refuseResource(
  route: Route,
  given: Given,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { deps, endpoint } = route
  const refused = endpoint.missing
    ? refuse(endpoint.missing)
    : refuseMissing(missingSubject(endpoint, shownParams(request)))
  const isSentAgain = endpoint.method === 'POST' && 'idempotency-key' in request.headers
  // Checks the caller against the entire account, because the resource's project is no longer known.
  const wide = { auth: 'customer', scope: endpoint.scope, filtersByProject: true } as const
  const admitted = isSentAgain && (await authenticate(deps, wide, given))
  if (!admitted || admitted instanceof Refused) return respondRefusal(reply, refused)
  const full = refuseBody(route, admitted, request, reply)
  if (full) return respondRefusal(reply, full)
  request.subject = admitted.subject
  request.caller = admitted.caller
  request.refusal = refused
}

async function callEndpoint(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const { deps, endpoint } = route
  const body = await checkedBody(route, request, reply)
  if (body instanceof Refused) return respondRefusal(reply, request.refusal ?? body)
  const call = callOf(request, reply, body)
  const repeatable = repeatableOf(endpoint, call)
  if (request.refusal !== undefined) return respondGone(route, repeatable, reply, request.refusal)
  if (repeatable instanceof Refused) return respondRefusal(reply, repeatable)
  if (endpoint.compresses === 'file') return respondPublic(route, call, { request, reply })
  const work =
    repeatable === undefined
      ? perform(route, call, request)
      : route.idempotency.answer(deps, repeatable, async (on) =>
          replayable(endpoint, reply, await perform({ ...route, deps: on }, call, request)),
        )
  const answer = await (endpoint.waits ? route.long.race(longCallerOf(route, request), work) : work)
  if (!(answer instanceof Refused)) return respond(reply, serialized(endpoint, reply, answer))
  const customerId = customerOf(request)
  if (request.caller && customerId !== undefined)
    countRefused(route, { caller: request.caller, customerId }, { request, refused: answer })
  return respondRefusal(reply, answer)
}

async function respondPublic(
  route: Route,
  call: Call,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { file } = route
  if (file.packed === undefined) {
    const { body, contentType = '' } = await perform(route, call, request)
    file.packed = await packFile(Buffer.from(String(body)), contentType)
  }
  return respondFile(reply, file.packed, 'no-cache')
}

async function checkedBody(
  { deps, endpoint, checkBody }: Route,
  request: FastifyRequest,
  { raw }: FastifyReply,
): Promise<Body> {
  const sender = () => ({ owner: ownerOf(request), signal: closedSignal(raw), now: deps.now() })
  const body = await readAnyBody(deps, endpoint, request, sender)
  if (body instanceof Refused) return body
  const failed = checkBody(body.value)
  return failed.length > 0 ? refuse('invalid_request', { failed }) : body
}

/** Returns the owner for fair queuing in the worker pool and for the memory limit of bodies. */
function ownerOf(request: Pick<FastifyRequest, 'subject' | 'ip'>): string {
  return customerOf(request) ?? request.ip
}

function customerOf({ subject }: Pick<FastifyRequest, 'subject'>): string | undefined {
  return subject !== undefined && 'customer' in subject ? subject.customer?.id : undefined
}

function callOf(request: FastifyRequest, { raw }: FastifyReply, body: Body): Call {
  const { subject, caller, params, query, id, ip, headers } = request
  const { value, entries, digest } = body instanceof Refused ? {} : body
  const own = { log: request.log, spans: request.span ?? noSpan }
  const origin = { requestId: id, address: ip, headers, own, closed: () => closedSignal(raw) }
  return {
    subject,
    caller: caller as Call['caller'],
    params: params as Call['params'],
    query: query as Call['query'],
    body: value,
    entries,
    digest,
    origin,
  }
}

/**
 * Returns a signal that aborts when the response is closed. Fastify's `request.signal` aborts as soon as the
 * body is read.
 */
function closedSignal(answer: FastifyReply['raw']): AbortSignal {
  if (answer.closed) return AbortSignal.abort()
  const closed = new AbortController()
  answer.once('close', () => closed.abort())
  return closed.signal
}

async function perform(route: Route, call: Call, request: FastifyRequest): Promise<Answer> {
  const { deps, endpoint, long, failed } = route
  const outcome = await callAudited(deps, endpoint, call)
  const isStream = endpoint.produces === 'stream' || endpoint.produces === 'events'
  const guard = (parts: Stream['parts']) => long.guard(longCallerOf(route, request), parts)
  const guarded =
    outcome instanceof CsvStream
      ? new CsvStream(outcome.fileName, guard(outcome.parts))
      : isStream && !(outcome instanceof Refused)
        ? { parts: guard((outcome as Stream).parts) }
        : outcome
  return answerOutcome(endpoint, guarded, {
    requestId: request.id,
    params: shownParams(request),
    onFailure: (thrown) => thrown instanceof EndedEarly || failed(request, thrown),
  })
}

function longCallerOf({ deps, endpoint }: Route, request: FastifyRequest): LongCaller {
  const found = findCredential(deps.config, endpoint, request)
  const credential = found instanceof Refused ? undefined : found
  const given = { credential, params: request.params as Params, address: request.ip }
  return { endpoint, ...given, view: viewOf(request.caller) }
}

/**
 * Serializes an endpoint's value according to its schema, which is compiled on first use. Everything else is
 * left to Fastify.
 */
function serialized({ response, produces, isLong }: Endpoint, reply: FastifyReply, answer: Answer): Answer {
  const { status, body, contentType } = answer
  const isValue = status === 200 && contentType === undefined && produces === undefined && !isLong
  if (!isValue || typeof body === 'string') return answer
  const schema = response as Record<string, unknown>
  return { ...answer, body: reply.serializeInput(body as Record<string, unknown>, schema) }
}

/** The response is serialized at this point, so that the same bytes can be replayed. */
function replayable(
  endpoint: Endpoint,
  reply: FastifyReply,
  given: Answer,
): Answer & { readonly body: string } {
  const answer = serialized(endpoint, reply, given)
  return { ...answer, body: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body) }
}

async function respondGone(
  { deps, idempotency }: Route,
  repeatable: Repeatable | Refused | undefined,
  reply: FastifyReply,
  refused: Refused,
): Promise<unknown> {
  const isRepeatable = repeatable !== undefined && !(repeatable instanceof Refused)
  const before = isRepeatable ? await idempotency.findAnswer(deps, repeatable) : undefined
  return before === undefined ? respondRefusal(reply, refused) : respond(reply, before)
}
