/** The body and status of every answer: `success: true` beside a value, the error envelope around a refusal. */
import { type EndpointReason, Refused, refusals } from '../domain/refusals.ts'
import type { Endpoint, Stream, Text } from '../endpoints/endpoint.ts'

export type Answer = {
  readonly status: number
  readonly body: object | string
  /** Each character of the body is one byte, as in ASCII; where nobody knows, it is looked at. */
  readonly isAscii?: boolean
  /** Instead of the body, what it comes from piece by piece. */
  readonly stream?: Stream
  /** Whether its pieces are sent as they come, however few there are. */
  readonly isLive?: true
  readonly contentType?: string
  /** Several of one name are a list. */
  readonly headers?: Readonly<Record<string, string | string[]>>
}

/** A proxy that collects answers is asked not to. The connection ends with them, or it would hold up a stop. */
const LIVE = {
  status: 200,
  body: '',
  isLive: true,
  contentType: 'text/event-stream; charset=utf-8',
  headers: { 'x-accel-buffering': 'no', connection: 'close' },
} as const

/** Errors without a code of their own at an endpoint. */
const GENERAL_CODE = -1

export function answerOutcome(
  one: Endpoint,
  outcome: object | Text | Stream | Refused,
  requestId: string,
): Answer {
  if (outcome instanceof Refused) return answerRefusal(outcome, one.failures, requestId)
  if (one.produces === 'stream') return { status: 200, body: '', stream: outcome as Stream }
  if (one.produces === 'events') return { ...LIVE, stream: outcome as Stream }
  // Only what is written without a schema has its members in this order, and copying first is faster.
  if (one.isLong) return { status: 200, body: { success: true, ...outcome } }
  if (one.produces !== 'text') return { status: 200, body: { ...outcome, success: true } }
  const { text, ...rest } = outcome as Text
  return typeof text === 'string'
    ? { ...rest, body: text }
    : { ...rest, body: text.toString('latin1'), isAscii: true }
}

/** The envelope with the code that the endpoint gives this reason. */
export function answerRefusal(refused: Refused, failures: Endpoint['failures'], requestId: string): Answer {
  const { message } = refusals[refused.reason]
  const error = {
    code: failures[refused.reason as EndpointReason] ?? GENERAL_CODE,
    type: refused.reason,
    message,
    request_id: requestId,
    ...refused.members,
  }
  return { status: refused.status, body: { success: false, error }, headers: retryAfter(refused) }
}

/** `retry_after` is in seconds, as the header of that name. */
function retryAfter({ members }: Refused): Record<string, string> {
  return typeof members.retry_after === 'number'
    ? { 'retry-after': String(Math.ceil(members.retry_after)) }
    : {}
}
