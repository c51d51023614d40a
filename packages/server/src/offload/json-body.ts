/**
 * Parses a JSON body into a value that is safe to validate: with a limited number of fields, limited depth,
 * valid UTF-8, and no strings that PostgreSQL can't store. The functions are pure, so that large bodies can
 * be parsed in the pool.
 */

/** Limits the recursion over a body. No endpoint needs deeper nesting. */
const MAX_DEPTH = 32

/** An error in a body: the field, and what it must contain. */
export type Unfit = { readonly field: string; readonly fix: string }

export type JsonRules = {
  /** A field whose strings the endpoint validates itself. */
  readonly judged?: string | undefined
  /** Maximum number of object fields and array entries across all levels. */
  readonly mostMembers: number
}

/** Treats an empty body as an empty object, because all fields may be optional. */
export function parseJson(
  bytes: Uint8Array,
  { judged, mostMembers }: JsonRules,
): { readonly value: unknown } | Unfit {
  if (bytes.length === 0) return { value: {} }
  if (hasMoreMembers(bytes, mostMembers)) return { field: 'body', fix: tooMany(mostMembers) }
  const text = decode(bytes)
  if (text === undefined) return { field: 'body', fix: 'must be UTF-8' }
  try {
    const value: unknown = JSON.parse(text)
    return unfit(searchBody(value, judged), 'body') ?? { value }
  } catch {
    return { field: 'body', fix: 'must be valid JSON' }
  }
}

/**
 * If a field named in `lists` is not an array, replaces it with a placeholder. The schema rejects such fields
 * anyway, and copying a million fields from the pool would block the event loop.
 */
export function withoutWrongLists(value: unknown, lists: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  const given = value as Members
  const wrong = lists.filter((name) => Object.hasOwn(given, name) && !Array.isArray(given[name] ?? []))
  return wrong.length === 0
    ? value
    : { ...given, ...Object.fromEntries(wrong.map((name) => [name, standIn(given[name])])) }
}

/** Returns a placeholder of the same type, so that the schema treats it the same as the original. */
export function standIn(value: unknown, longestText = 0): unknown {
  if (Array.isArray(value)) return []
  if (typeof value === 'string') return value.slice(0, longestText)
  return typeof value === 'object' && value !== null ? {} : value
}

function tooMany(most: number): string {
  return `is too large: one request may have at most ${most} fields and array items in total. Split it into several requests`
}

const [QUOTE, ESCAPE, COMMA, LIST, OBJECT] = [...'"\\,[{'].map((sign) => sign.charCodeAt(0))

/**
 * Counts fields in the raw bytes, at a nanosecond each, because parsing and checking a field takes up to
 * forty times as long. Each field follows a comma or an opening bracket.
 */
function hasMoreMembers(bytes: Uint8Array, most: number): boolean {
  let count = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) i = endOfText(bytes, i)
    else if ((byte === COMMA || byte === LIST || byte === OBJECT) && ++count > most) return true
  }
  return false
}

/** Returns the position of the closing quote of the string that begins at `start`. */
function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(QUOTE as number, start + 1); at >= 0; ) {
    let escapes = 0
    while (bytes[at - 1 - escapes] === ESCAPE) escapes += 1
    if (escapes % 2 === 0) return at
    at = bytes.indexOf(QUOTE as number, at + 1)
  }
  return bytes.length
}

/** Finds the first string that one of the databases can't store, or nesting that is too deep. */
export function findUnfit(value: unknown, whole: string): Unfit | undefined {
  return unfit(search(value, badText), whole)
}

function unfit(found: Found | undefined, whole: string): Unfit | undefined {
  return found && { field: found.path.reverse().join('.').slice(0, 200) || whole, fix: found.fix }
}

/** `path` is collected while unwinding, innermost first, because almost all bodies are valid. */
type Found = { readonly path: string[]; readonly fix: string }

/** Skips the strings in the `judged` field, which the endpoint validates. */
function searchBody(value: unknown, judged: string | undefined): Found | undefined {
  if (judged === undefined || typeof value !== 'object' || value === null) return search(value, badText)
  const { [judged]: own, ...others } = value as Members
  return search(others, badText) ?? search(own, anyText, 1)
}

type Judge = (text: string) => Found | undefined

function search(value: unknown, judge: Judge, depth = 0): Found | undefined {
  if (typeof value === 'string') return judge(value)
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= MAX_DEPTH) return { path: [], fix: `must not be nested more than ${MAX_DEPTH} levels deep` }
  return Array.isArray(value)
    ? searchList(value, judge, depth)
    : searchMembers(value as Members, judge, depth)
}

type Members = Readonly<Record<string, unknown>>

/**
 * Doesn't build paths on the way down, because creating a string for each of millions of entries would take
 * seconds.
 */
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
    if (inName !== undefined) return { path: [], fix: `has a field whose name ${inName.fix}` }
    const found = search(members[name], judge, depth + 1)
    if (found !== undefined) return { path: [...found.path, name], fix: found.fix }
  }
  return undefined
}

const anyText: Judge = () => undefined

function badText(text: string): Found | undefined {
  if (text.includes('\0')) return { path: [], fix: 'must not contain NUL characters' }
  return text.isWellFormed() ? undefined : { path: [], fix: 'must not contain an unpaired surrogate' }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
