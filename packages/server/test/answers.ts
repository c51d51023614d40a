/**
 * Checks every response that a test receives against its endpoint's declaration. Successful responses must
 * match the schema. Errors must match the envelope, a declared reason, and the reason's code, message and
 * status.
 */
import { Compile, type Validator } from 'typebox/compile'
import type { Endpoint } from '../src/api/endpoint.ts'
import { type Reason, refusals, refuse, textOf } from '../src/api/refusals.ts'
import { endpoints } from '../src/endpoints.ts'
import { ENVELOPE } from '../src/reference/failures.ts'
import { noteRefusal } from './record.ts'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed response; empty if it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** The error inside the envelope; empty if there is none. */
  readonly error: Readonly<Record<string, unknown>>
  /** A field of the body that must be a string. */
  string(member: string): string
}

/** Reasons that the transport may return for any endpoint. Endpoints must declare all other reasons. */
const GENERAL: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'network_not_allowed',
  'path_key_closed',
  'csrf_failed',
  'fresh_sign_in_needed',
  'not_found',
  'invalid_endpoint',
  'invalid_request',
  'unsupported_media_type',
  'too_large',
  'rate_limited',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'idempotency_answer_lost',
  'too_many_idempotency_keys',
  'unavailable',
  'second_factor_needed',
])

type Known = { readonly endpoint: Endpoint; readonly pattern: RegExp; response?: Validator }

const envelope = Compile(ENVELOPE)
const errorFields: ReadonlySet<string> = new Set(Object.keys(ENVELOPE.properties.error.properties))

const known: readonly Known[] = endpoints.map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`),
}))

/** Throws if a response doesn't match the declaration of its endpoint, and records errors for the run. */
export function checkAnswer(method: string, url: string, answer: Answer): void {
  const one = findKnown(method, url)
  const problem = problemOf(one, answer)
  if (problem !== undefined) {
    const place = one?.endpoint.path ?? pathOf(url)
    throw new Error(`${method} ${place}: ${problem}\n${answer.status} ${answer.text.slice(0, 1000)}`)
  }
  if (one && answer.error.type !== undefined) noteRefusal(one.endpoint.name, String(answer.error.type))
}

/** Records errors for a client that does its own response checks. `text` is the response body. */
export function noteAnswer(method: string, url: string, text: string): void {
  const type = /^\{"success":false,"error":\{.*?"type":"(\w+)"/.exec(text)?.[1]
  const one = type && findKnown(method, url)
  if (one) noteRefusal(one.endpoint.name, type)
}

function findKnown(method: string, url: string): Known | undefined {
  const path = pathOf(url)
  return known.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))
}

/** Keeps the path unchanged. `URL` would normalize paths that a test deliberately leaves unnormalized. */
function pathOf(url: string): string {
  return url.replace(/^http:\/\/[^/]+/, '').split('?')[0] ?? ''
}

function problemOf(one: Known | undefined, answer: Answer): string | undefined {
  if (!/^[A-Za-z0-9-]{8,64}$/.test(answer.headers.get('x-request-id') ?? '')) return 'no x-request-id'
  if (answer.error.type !== undefined) return problemOfError(one?.endpoint, answer)
  if (one?.endpoint.produces === 'text' || one?.endpoint.produces === 'events') return undefined
  if (answer.headers.get('content-type')?.startsWith('text/csv')) return undefined
  if (one === undefined || answer.status !== 200)
    return 'neither a declared answer nor an error in its envelope'
  one.response ??= Compile(one.endpoint.response)
  if (one.response.Check(answer.body)) return undefined
  return `the answer does not fit its schema: ${JSON.stringify(one.response.Errors(answer.body))}`
}

function problemOfError(endpoint: Endpoint | undefined, { status, body, error }: Answer): string | undefined {
  const type = error.type as keyof typeof refusals
  const declared = refusals[type]
  const codes: Readonly<Record<string, number>> = endpoint?.failures ?? {}
  if (declared === undefined || !(GENERAL.has(type) || type in codes)) return `"${type}" is not declared`
  if (body.success !== false) return 'an error whose success is not false'
  if (error.code !== (codes[type] ?? -1)) return `the code of "${type}" should be ${codes[type] ?? -1}`
  if (![declared.status, declared.inOneCall].includes(status)) return `"${type}" has another status`
  const isMissing = type === 'not_found' && / does not exist/.test(String(error.message))
  if (!isMissing && !isDeclared(type, error)) return `"${type}" has another message`
  const undescribed = Object.keys(error).filter((name) => !errorFields.has(name))
  if (undescribed.length > 0) return `the schema Error does not describe ${undescribed.join(', ')}`
  if (!envelope.Check(body))
    return `the error does not fit its schema: ${JSON.stringify(envelope.Errors(body))}`
  return undefined
}

/**
 * Whether the message is the one declared for this reason, with the error's values and the path's resource
 * filled in.
 */
function isDeclared(reason: Reason, error: Answer['error']): boolean {
  const declared = textOf(refuse(reason, error))
  const message = String(error.message)
  const [before, kind = '', after = ''] = declared.split(/This (\w)(.*)/)
  const isNamed =
    message.startsWith(`${before}${kind.toUpperCase()}`) && message.endsWith(after.replace(/^\w+/, ''))
  return message === declared || (kind !== '' && isNamed)
}
