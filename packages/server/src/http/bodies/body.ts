/** Turns the body of a request from bytes into a value that is safe to validate. */
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../../api/endpoint.ts'
import { refuseUndone } from '../../api/offloaded.ts'
import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { ListedEntries } from '../../features/imports/formats/entries.ts'
import { findUnfit, type JsonRules, parseJson, type Unfit } from '../../offload/json-body.ts'

/** The largest body of an endpoint without its own limit: a change to 5,000 user keys. */
const MAX_MEMBERS = 10_000
/** Larger bodies are parsed in the worker pool, because a megabyte takes about ten milliseconds. */
const INLINE_BYTES = 1_048_576
/** Import entries cost more, because each is read field by field. */
const INLINE_IMPORT_BYTES = 65_536
const READ_MS = 30_000

/**
 * `entries` are the entries of an import that was parsed in the worker pool. `digest` identifies its body.
 */
export type Body =
  | { readonly value: unknown; readonly entries?: ListedEntries; readonly digest?: string }
  | Refused

/**
 * Reads the body of a request to this endpoint, as collected by Fastify. Doesn't check it against the schema.
 */
export function readBody(endpoint: Endpoint, { body, headers }: FastifyRequest): Body {
  if (!takesBody(endpoint)) return { value: {} }
  const bytes = body instanceof Buffer ? body : NO_BYTES
  if (bytes.length > 0 && !acceptsType(endpoint, headers['content-type']))
    return refuse('unsupported_media_type')
  if (endpoint.consumes === 'text') return parseAscii(bytes)
  if (endpoint.consumes === 'signedJson') return { value: bytes }
  return bodyOf(parseJson(bytes, rulesOf(endpoint)))
}

/** The owner and signal of a body that is parsed in the worker pool. */
export type Sender = { readonly owner: string; readonly signal: AbortSignal; readonly now: number }

/**
 * Like `readBody`, for bodies of any size. Bodies that could block the event loop are parsed in the worker
 * pool.
 */
export async function readAnyBody(
  { offload, config }: Pick<Deps, 'offload' | 'config'>,
  endpoint: Endpoint,
  request: FastifyRequest,
  sender: () => Sender,
): Promise<Body> {
  const { body: bytes, headers } = request
  // Entries parsed in the worker pool are in the result and no longer in the body.
  const isImport = endpoint.judges !== undefined
  const isLarge = bytes instanceof Buffer && bytes.length > (isImport ? INLINE_IMPORT_BYTES : INLINE_BYTES)
  if (
    !isLarge ||
    endpoint.consumes === 'text' ||
    endpoint.consumes === 'signedJson' ||
    !acceptsType(endpoint, headers['content-type'])
  )
    return readBody(endpoint, request)
  const { owner, signal, now } = sender()
  const limits = { deadlineMs: READ_MS, signal }
  const given = { bytes, rules: rulesOf(endpoint) }
  const read = isImport
    ? await offload.run(owner, 'readImport', { ...given, now, limit: config.importLimit }, limits)
    : await offload.run(owner, 'parseBody', { ...given, lists: listsOf(endpoint) }, limits)
  return 'done' in read ? bodyOf(read.done) : refuseUndone(read, 'body', TOO_SLOW)
}

const TOO_SLOW = 'takes too long to process. Split it into several requests'

function bodyOf(read: Exclude<Body, Refused> | Unfit): Body {
  return 'fix' in read ? refuseMember(read.field, read.fix) : read
}

function rulesOf({ judges, mostMembers = MAX_MEMBERS }: Endpoint): JsonRules {
  return { judged: judges, mostMembers }
}

/** Returns the fields of the body that its schema declares as lists. */
function listsOf({ body }: Endpoint): string[] {
  const members = Object.entries((body as Members).properties ?? {})
  return members.filter(([, { type }]) => type === 'array').map(([name]) => name)
}

type Members = { readonly properties?: Readonly<Record<string, { readonly type?: unknown }>> }

/** Returns a body's bytes, or rejects the body as soon as it exceeds `limit` bytes. */
export async function collectBody(
  body: AsyncIterable<Buffer>,
  headers: IncomingMessage['headers'],
  limit: number,
): Promise<Buffer | Refused> {
  if (Number(headers['content-length']) > limit) return refuse('too_large', { limit })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
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

/** Hosts of protected scripts send any content type, or none. Management requests must declare JSON. */
function acceptsType({ consumes }: Endpoint, contentType: string | undefined): boolean {
  if (contentType === undefined) return consumes !== undefined
  const isText = consumes !== undefined && consumes !== 'signedJson' && TEXT_TYPE.test(contentType)
  return isText || (consumes !== 'text' && JSON_TYPE.test(contentType))
}

const PRINTABLE = /^[ -~]*$/

function parseAscii(bytes: Buffer): Body {
  const value = bytes.toString('latin1')
  return PRINTABLE.test(value) ? { value } : refuseMember('body', 'must be printable ASCII')
}

/** Rejects the first string that one of the two databases can't store, and excessive nesting. */
export function findBadText(value: unknown, whole: string): Refused | undefined {
  const found = findUnfit(value, whole)
  return found && refuseMember(found.field, found.fix)
}
