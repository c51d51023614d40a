/**
 * Responses: `success: true` with a value, the error envelope, and the common headers. Long responses are
 * streams, which are read no faster than the client reads them.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { CsvStream, type Endpoint, type Stream, type Text, WithCookies } from '../api/endpoint.ts'
import { messageOf } from '../api/missing.ts'
import { type EndpointReason, Refused, refuse, textOf } from '../api/refusals.ts'
import type { Config } from '../config/config.ts'
import { isUnavailable } from '../database/engine/dialect.ts'
import { ValkeyUnavailable } from '../platform/valkey/valkey.ts'
import { shownParams } from './credential.ts'
import { EndedEarly } from './live-requests.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for pages and files. */
    endpoint?: Refusing & Pick<Endpoint, 'waits' | 'produces'>
  }
}

/** The part of an endpoint that determines its errors. */
type Refusing = Pick<Endpoint, 'failures' | 'path' | 'auth'>
type Asked = { readonly requestId: string; readonly params: object }

export type Answer = {
  readonly status: number
  /** Objects are serialized as JSON, according to the endpoint's schema if the status is 200. */
  readonly body: object | string | Buffer | Readable
  /** Defaults to JSON. */
  readonly contentType?: string
  /** If a header has multiple values, they are in a list. */
  readonly headers?: Readonly<Record<string, string | string[]>>
}

const JSON_TYPE = 'application/json; charset=utf-8'
const CSV_TYPE = 'text/csv; charset=utf-8'
/**
 * Proxies must not buffer these responses. The connection closes afterward, because an open connection would
 * delay a shutdown.
 */
const LIVE = {
  status: 200,
  contentType: 'text/event-stream; charset=utf-8',
  headers: { 'x-accel-buffering': 'no', connection: 'close' },
} as const
/** The code for errors that the endpoint doesn't assign a code to. */
const GENERAL_CODE = -1
/**
 * A stream is buffered up to this many characters, so that a short response has a content length, and an
 * error within the buffer still results in an error response.
 */
const MAX_BUFFERED = 65_536
/**
 * The body of a failed request is read and dropped up to this many times its route's limit. Beyond that, the
 * connection is closed.
 */
const MAX_DROPPED = 16

export function respond(reply: FastifyReply, { status, body, contentType, headers }: Answer): FastifyReply {
  if (headers !== undefined) reply.headers(headers)
  return reply
    .code(status)
    .header('content-type', contentType ?? JSON_TYPE)
    .send(body)
}

export function respondRefusal(reply: FastifyReply, refused: Refused): FastifyReply {
  const { id: requestId, routeOptions } = reply.request
  const params = shownParams(reply.request)
  return respond(reply, answerRefusal(refused, routeOptions.config.endpoint, { requestId, params }))
}

export function respondNotFound(reply: FastifyReply): FastifyReply {
  return respondRefusal(reply, refuse('invalid_endpoint'))
}

export type CommonHeaders = Readonly<Record<string, string>>

/**
 * Responses contain secrets, and one GET endpoint of the interface changes data, so no cache may store or
 * repeat responses. If the base URL uses TLS, browsers must use TLS for a year.
 */
export function commonHeaders({ baseUrl = '' }: Pick<Config, 'baseUrl'>): CommonHeaders {
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(baseUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

/**
 * Returns whether the rest of a rejected body is too long to be read just to keep the connection open.
 * `bodyLimit` is the route's limit, in bytes.
 */
export function mustCloseAfter({ complete, headers }: IncomingMessage, bodyLimit: number): boolean {
  if (complete) return false
  const declared = headers['content-length']
  return declared === undefined ? 'transfer-encoding' in headers : Number(declared) > MAX_DROPPED * bodyLimit
}

/**
 * `onFailure` receives exceptions that a stream throws after its first part has been sent. Earlier
 * exceptions, and the error for a caller who lost access, are thrown.
 */
export async function answerOutcome(
  endpoint: Answering,
  outcome: object | Text | Stream | Refused,
  context: Context,
): Promise<Answer> {
  try {
    return await answerBegun(endpoint, outcome, context)
  } catch (thrown) {
    if (thrown instanceof EndedEarly) return answerRefusal(thrown.refused, endpoint, context)
    throw thrown
  }
}

type Answering = Pick<Endpoint, 'produces' | 'isLong'> & Refusing
type Context = Asked & { onFailure(thrown: unknown): void }

async function answerBegun(
  endpoint: Answering,
  outcome: object | Text | Stream | Refused,
  { onFailure, ...asked }: Context,
): Promise<Answer> {
  if (outcome instanceof Refused) return answerRefusal(outcome, endpoint, asked)
  const { produces, isLong } = endpoint
  if (outcome instanceof WithCookies) {
    const { answer, cookies } = outcome
    return { status: 200, body: { ...answer, success: true }, headers: { 'set-cookie': [...cookies] } }
  }
  if (outcome instanceof CsvStream) {
    const headers = { 'content-disposition': `attachment; filename="${outcome.fileName}"` }
    return { status: 200, body: await readStream(outcome, onFailure), contentType: CSV_TYPE, headers }
  }
  if (produces === 'stream') return { status: 200, body: await readStream(outcome as Stream, onFailure) }
  if (produces === 'events') return { ...LIVE, body: readEvents(outcome as Stream) }
  // Without a schema, JSON keeps this order of fields. With a schema, the order has no effect, and copying
  // the fields first is faster.
  if (isLong) return { status: 200, body: { success: true, ...outcome } }
  if (produces !== 'text') return { status: 200, body: { ...outcome, success: true } }
  const { text, ...rest } = outcome as Text
  return { ...rest, body: text }
}

/** Returns the error envelope, with the endpoint's code for this reason. */
function answerRefusal(
  refused: Refused,
  endpoint: Refusing | undefined,
  { requestId, params }: Asked,
): Answer {
  const error = {
    code: endpoint?.failures[refused.reason as EndpointReason] ?? GENERAL_CODE,
    type: refused.reason,
    message: endpoint ? messageOf(refused, endpoint, params) : textOf(refused),
    request_id: requestId,
    ...refused.members,
  }
  return { status: refused.status, body: { success: false, error }, headers: retryAfter(refused) }
}

/** An exception is a bug or an outage. It is logged, and the client gets the request ID. */
export function refuseThrown(thrown: unknown): Refused {
  const isLater = isUnavailable(thrown) || thrown instanceof ValkeyUnavailable
  return isLater ? refuse('unavailable', { retry_after: 1 }) : refuse('internal')
}

/** `retry_after` is in seconds, like the `Retry-After` header. */
function retryAfter({ members }: Refused): Record<string, string> {
  return typeof members.retry_after === 'number'
    ? { 'retry-after': String(Math.ceil(members.retry_after)) }
    : {}
}

/**
 * Returns a complete error response as HTTP/1.1, for a connection without a request that Fastify can answer.
 */
export function writeRefusal(refused: Refused, requestId: string, common: CommonHeaders): string {
  const { status, body, headers } = answerRefusal(refused, undefined, { requestId, params: {} })
  const text = JSON.stringify(body)
  const all = {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(text),
    ...common,
    'x-request-id': requestId,
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}`
}

async function readStream(
  { parts }: Stream,
  onFailure: (thrown: unknown) => void,
): Promise<string | Readable> {
  const rest = parts[Symbol.asyncIterator]()
  let head = ''
  while (head.length < MAX_BUFFERED) {
    const { done, value } = await nextPart(rest)
    if (done) return head
    head += value
  }
  return Readable.from(partsFrom(head, rest, onFailure), { objectMode: false })
}

/**
 * Each event is sent immediately, and the next event is requested only after the client has read the last
 * one.
 */
function readEvents({ parts }: Stream): Readable {
  return Readable.from(parts, { objectMode: false, highWaterMark: 1 })
}

async function* partsFrom(
  head: string,
  rest: AsyncIterator<string>,
  onFailure: (thrown: unknown) => void,
): AsyncGenerator<string> {
  try {
    yield head
    for (;;) {
      const { done, value } = await nextPart(rest)
      if (done) return
      if (value !== '') yield value
    }
  } catch (thrown) {
    onFailure(thrown)
    throw thrown
  } finally {
    await rest.return?.()
  }
}

/**
 * SQLite returns before the event loop turns, so this function yields to other requests between two parts.
 */
async function nextPart(rest: AsyncIterator<string>): Promise<IteratorResult<string>> {
  await setImmediate()
  return rest.next()
}
