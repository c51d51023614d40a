/**
 * The body of a request from bytes to a value that is safe to validate: of bounded depth, UTF-8, without texts that
 * PostgreSQL cannot store.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { type Refused, refuse, refuseMember } from '../domain/refusals.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'

/** Deeper than any endpoint needs; it bounds the recursion over a body. */
const MAX_DEPTH = 32

export type Body = { readonly value: unknown } | Refused

/** The body of a request to this endpoint, which Fastify has collected; whether its schema fits is not checked here. */
export function readBody(endpoint: Endpoint, { body, headers }: FastifyRequest): Body {
  if (!takesBody(endpoint)) return { value: {} }
  const bytes = body instanceof Buffer ? body : NO_BYTES
  if (bytes.length > 0 && !acceptsType(endpoint, headers['content-type']))
    return refuse('unsupported_media_type')
  if (endpoint.consumes === 'text') return parseAscii(bytes)
  return parseJson(bytes, endpoint.judges)
}

/** The bytes of a body, refused as soon as it is known to be longer than `limit` bytes. */
export async function collectBody(message: IncomingMessage, limit: number): Promise<Buffer | Refused> {
  if (Number(message.headers['content-length']) > limit) return refuse('too_large', { limit })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) return refuse('too_large', { limit })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const NO_BYTES = Buffer.alloc(0)

function takesBody({ method, readsBody }: Endpoint): boolean {
  return method !== 'GET' || readsBody === true
}

const JSON_TYPE = /^application\/json *(;|$)/i
const TEXT_TYPE = /^(text\/plain|application\/octet-stream) *(;|$)/i

/** Hosts of protected scripts send any type or none; management requests say that they are JSON. */
function acceptsType({ consumes }: Endpoint, contentType: string | undefined): boolean {
  if (contentType === undefined) return consumes !== undefined
  const isText = consumes !== undefined && TEXT_TYPE.test(contentType)
  return isText || (consumes !== 'text' && JSON_TYPE.test(contentType))
}

/** An empty body is the empty object, so that every member may be absent. */
function parseJson(bytes: Buffer, judged: string | undefined): Body {
  if (bytes.length === 0) return { value: {} }
  const text = decode(bytes)
  if (text === undefined) return refuseMember('body', 'must be UTF-8')
  try {
    const value: unknown = JSON.parse(text)
    return refuseFound(searchBody(value, judged), 'body') ?? { value }
  } catch {
    return refuseMember('body', 'must be valid JSON')
  }
}

const PRINTABLE = /^[ -~]*$/

function parseAscii(bytes: Buffer): Body {
  const value = bytes.toString('latin1')
  return PRINTABLE.test(value) ? { value } : refuseMember('body', 'must be printable ASCII')
}

/** Refuses the first text that one of the two databases cannot store, and too deep nesting. */
export function findBadText(value: unknown, whole: string): Refused | undefined {
  return refuseFound(search(value, badText), whole)
}

function refuseFound(found: Found | undefined, whole: string): Refused | undefined {
  return found && refuseMember(found.path.reverse().join('.').slice(0, 200) || whole, found.fix)
}

/** `path` is collected while returning, innermost first, because nearly every body has nothing to report. */
type Found = { readonly path: string[]; readonly fix: string }

/** The texts of the member `judged` are left to the endpoint. */
function searchBody(value: unknown, judged: string | undefined): Found | undefined {
  if (judged === undefined || typeof value !== 'object' || value === null) return search(value, badText)
  const { [judged]: own, ...others } = value as Members
  return search(others, badText) ?? search(own, anyText, 1)
}

type Judge = (text: string) => Found | undefined

function search(value: unknown, judge: Judge, depth = 0): Found | undefined {
  if (typeof value === 'string') return judge(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return { path: [], fix: `must not be nested more than ${MAX_DEPTH} deep` }
  return Array.isArray(value)
    ? searchList(value, judge, depth)
    : searchMembers(value as Members, judge, depth)
}

type Members = Readonly<Record<string, unknown>>

/** Builds no path on the way down: a text for each of millions of entries takes seconds. */
function searchList(list: readonly unknown[], judge: Judge, depth: number): Found | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = search(list[index], judge, depth + 1)
    if (found !== undefined) return { path: [...found.path, String(index)], fix: found.fix }
  }
  return undefined
}

function searchMembers(members: Members, judge: Judge, depth: number): Found | undefined {
  for (const name of Object.keys(members)) {
    const inName = judge(name)
    if (inName !== undefined) return { path: [], fix: `has a member whose name ${inName.fix}` }
    const found = search(members[name], judge, depth + 1)
    if (found !== undefined) return { path: [...found.path, name], fix: found.fix }
  }
  return undefined
}

const anyText: Judge = () => undefined

function badText(text: string): Found | undefined {
  if (text.includes('\0')) return { path: [], fix: 'must not contain the character NUL' }
  return text.isWellFormed() ? undefined : { path: [], fix: 'must not contain half of a surrogate pair' }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
