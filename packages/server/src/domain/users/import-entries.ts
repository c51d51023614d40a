/**
 * Reads one entry of an import, as other services export their users: several names for one member, seconds or
 * milliseconds. Complaints name the member. Whether a key is free is checked elsewhere.
 */
import { NEVER } from '../limits.ts'
import { unquoteFormulas } from './formulas.ts'

export type Entry = {
  readonly key: string | null
  readonly chat_id: string | null
  readonly fingerprint: string | null
  readonly key_expires: number | null
  readonly note: string | null
  readonly executor: string | null
  readonly blacklisted: 0 | 1
  readonly blacklist_reason: string | null
  readonly blacklist_expires: number | null
}

type Members = Readonly<Record<string, unknown>>

/** Earlier times would be before March 1973, so they are seconds. */
const LATEST_SECONDS = 100_000_000_000
/** How some services write that a key does not expire. */
const NO_EXPIRY = -1

const NAMES = {
  key: ['key'],
  chat_id: ['chat_id', 'chat'],
  fingerprint: ['fingerprint', 'identifier', 'hwid'],
  key_expires: ['key_expires', 'auth_expire'],
  note: ['note'],
  executor: ['executor'],
  blacklisted: ['blacklisted'],
  blacklist_reason: ['blacklist_reason'],
  blacklist_expires: ['blacklist_expires'],
} as const
type Member = keyof typeof NAMES

const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES).flat())

/** Maximum lengths in characters. */
const LENGTHS = { chat_id: 100, fingerprint: 1024, note: 255, executor: 100, blacklist_reason: 255 } as const
const KEY = /^[\w-]{8,64}$/
const CONTROL = /\p{Cc}/u

/** The entry, or why it is skipped. A blacklist that is over at `now` is none. */
export function readEntry(given: unknown, now: number): Entry | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'is not an object'
  const unknown = Object.keys(given).find((name) => !KNOWN.has(name))
  if (unknown !== undefined) return `${unknown.slice(0, 100).toWellFormed()}: is unknown`
  const form: Form = { members: given as Members, complaints: [] }
  const entry = {
    key: readKey(form),
    chat_id: readText(form, 'chat_id'),
    fingerprint: readText(form, 'fingerprint'),
    key_expires: readTime(form, 'key_expires'),
    note: readText(form, 'note'),
    executor: readText(form, 'executor'),
    ...readBlacklist(form, now),
  }
  return form.complaints[0] ?? entry
}

/** What is read member by member; a member that cannot be read is null and leaves a complaint. */
type Form = { readonly members: Members; readonly complaints: string[] }

function complain({ complaints }: Form, member: Member, words: string): null {
  complaints.push(`${member}: ${words}`)
  return null
}

function readBlacklist(form: Form, now: number) {
  const blacklisted = memberOf(form, 'blacklisted') ?? false
  if (typeof blacklisted !== 'boolean') complain(form, 'blacklisted', 'must be true or false')
  const blacklist_reason = readText(form, 'blacklist_reason')
  const blacklist_expires = readTime(form, 'blacklist_expires')
  const isOver = blacklist_expires !== null && blacklist_expires <= now
  if (blacklisted !== true || isOver)
    return { blacklisted: 0, blacklist_reason: null, blacklist_expires: null } as const
  return { blacklisted: 1, blacklist_reason, blacklist_expires } as const
}

function readKey(form: Form): string | null {
  const given = memberOf(form, 'key')
  const key = typeof given === 'string' ? unquoteFormulas(given) : given
  if (key === null || (typeof key === 'string' && KEY.test(key))) return key
  return complain(form, 'key', 'must be 8 to 64 letters, digits, - or _')
}

function readText(form: Form, member: keyof typeof LENGTHS): string | null {
  const value = memberOf(form, member)
  if (value === null) return null
  if (typeof value !== 'string') return complain(form, member, 'must be a string')
  const text = unquoteFormulas(value.trim())
  if ([...text].length > LENGTHS[member])
    return complain(form, member, `must have at most ${LENGTHS[member]} characters`)
  if (CONTROL.test(text)) return complain(form, member, 'must not contain control characters')
  if (!text.isWellFormed()) return complain(form, member, 'must not contain half of a surrogate pair')
  return text || null
}

function readTime(form: Form, member: 'key_expires' | 'blacklist_expires'): number | null {
  const value = memberOf(form, member)
  if (value === null || value === 0 || value === NO_EXPIRY) return null
  if (typeof value !== 'number' || value < 0) return complain(form, member, 'must be a time')
  const time = Math.round(value < LATEST_SECONDS ? value * 1000 : value)
  return time > NEVER ? complain(form, member, 'must be before the year 10000') : time || null
}

/** Of the first name that has a value. */
function memberOf({ members }: Form, member: Member): unknown {
  const name = NAMES[member].find((one) => (members[one] ?? null) !== null)
  return name === undefined ? null : members[name]
}
