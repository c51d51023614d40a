/**
 * A request's body from bytes to a value that is safe to validate: bounded in size and depth, UTF-8, without texts
 * that PostgreSQL cannot store. Whether the value fits its endpoint is not decided here.
 */
import type { IncomingMessage } from 'node:http'
import { type Refused, refuse, refuseMember } from '../domain/refusals.ts'

/** A list in an object in a list … that no endpoint takes; it bounds every walk over a body. */
const MAX_DEPTH = 32
/** Longer rests of a refused body are not read to their end; the connection is closed instead. */
const MAX_DRAIN = 64 * 1024 * 1024

/** Collects the body, or refuses it as soon as it is known to be larger than `limit` bytes. */
export function readBytes(message: IncomingMessage, limit: number): Promise<Buffer | Refused> {
  const declared = Number(message.headers['content-length'] ?? 0)
  if (declared > limit) return Promise.resolve(refuse('too_large', { limit }))
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    message.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else resolve(refuse('too_large', { limit }))
    })
    message.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    // Whatever else ends it is told by this too, and an error only if somebody listens for one.
    message.on('close', () => {
      // An error collects its stack, which is much for something that every request comes by.
      if (!message.complete) reject(new Error('the client went away before its request was complete'))
    })
  })
}

/** Whether the rest of a body that was refused half-way is not worth reading to keep the connection. */
export function mustCloseAfter(message: IncomingMessage): boolean {
  const declared = message.headers['content-length']
  return (
    !message.complete &&
    (declared === undefined ? 'transfer-encoding' in message.headers : Number(declared) > MAX_DRAIN)
  )
}

/** No body at all is the empty object, so that every member of it may be absent. */
export function parseJson(bytes: Buffer): { value: unknown } | Refused {
  if (bytes.length === 0) return { value: {} }
  const text = decode(bytes)
  if (text === undefined) return refuseMember('body', 'must be UTF-8')
  try {
    const value: unknown = JSON.parse(text)
    return findBadText(value, 'body') ?? { value }
  } catch {
    return refuseMember('body', 'must be valid JSON')
  }
}

const PRINTABLE = /^[ -~]*$/

export function parseAscii(bytes: Buffer): { value: string } | Refused {
  const value = bytes.toString('latin1')
  return PRINTABLE.test(value) ? { value } : refuseMember('body', 'must be printable ASCII')
}

/** Refuses the first text that one of the two databases cannot hold, and nesting that nothing here has a use for. */
export function findBadText(value: unknown, whole: string): Refused | undefined {
  const found = search(value, 0)
  return found && refuseMember(found.path.reverse().join('.').slice(0, 200) || whole, found.mend)
}

/** `path` is collected on the way back, innermost first, because nearly every body has nothing to report. */
type Found = { readonly path: string[]; readonly mend: string }

function search(value: unknown, depth: number): Found | undefined {
  if (typeof value === 'string') return badText(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return { path: [], mend: `must not be nested more than ${MAX_DEPTH} deep` }
  return Array.isArray(value) ? searchList(value, depth) : searchMembers(value as Members, depth)
}

type Members = Readonly<Record<string, unknown>>

/** Without the names of its entries: a text for each of many millions takes seconds. */
function searchList(list: readonly unknown[], depth: number): Found | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = search(list[index], depth + 1)
    if (found !== undefined) return { path: [...found.path, String(index)], mend: found.mend }
  }
  return undefined
}

function searchMembers(members: Members, depth: number): Found | undefined {
  for (const name of Object.keys(members)) {
    const inName = badText(name)
    if (inName !== undefined) return { path: [], mend: `has a member whose name ${inName.mend}` }
    const found = search(members[name], depth + 1)
    if (found !== undefined) return { path: [...found.path, name], mend: found.mend }
  }
  return undefined
}

function badText(text: string): Found | undefined {
  if (text.includes('\0')) return { path: [], mend: 'must not contain the character NUL' }
  return text.isWellFormed() ? undefined : { path: [], mend: 'must not contain half of a surrogate pair' }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
