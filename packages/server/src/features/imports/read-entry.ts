/**
 * Reads one entry of an import in the formats that other services export, with several names per field and
 * times in seconds or milliseconds. Errors name the field. The caller checks whether the key is available.
 */

import { NEVER } from '../../api/limits.ts'
import { BLANK } from '../keys/blank.ts'
import { unquoteFormulas } from '../keys/formulas.ts'
import {
  complainOfMetadata,
  complainOfTags,
  MAX_ISSUED_LENGTH,
  MAX_PRIVATE_NOTE_LENGTH,
  storedMetadata,
  storedTags,
} from '../keys/labels.ts'
import type { ListedUser } from '../keys/store/user-bulk.ts'
import { isImportable, KEY_WORDS, onOneLine } from './import-texts.ts'

/**
 * A user in stored form, with the bound device, and the device that the other service had bound, which is
 * kept for reference only.
 */
export type Entry = Omit<ListedUser, 'key' | 'fingerprint_assigned' | 'fingerprint_display'> & {
  readonly key: string | null
  readonly fingerprint: string | null
}
/**
 * Reads an entry, or returns the reason for skipping it. A blacklist entry that has expired by `now` is
 * ignored.
 */
export type EntryReader = (given: unknown, now: number) => Entry | string

/** A user with default values. */
export const NEW_ENTRY: Entry = { ...BLANK, key: null, fingerprint: null }

type Members = Readonly<Record<string, unknown>>

/** Smaller values are in seconds. As milliseconds, they would be before March 1973. */
const LATEST_SECONDS = 100_000_000_000
/** Some services use this value for a key that does not expire. */
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
  tags: ['tags'],
  metadata: ['metadata'],
  private_note: ['private_note'],
  issued_to: ['issued_to'],
  issued_by: ['issued_by'],
  issued_at: ['issued_at'],
} as const
type Member = keyof typeof NAMES

const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES).flat())

/** Maximum lengths in characters. */
const LENGTHS = {
  ...{ chat_id: 100, fingerprint: 1024, note: 255, executor: 100, blacklist_reason: 255 },
  ...{ private_note: MAX_PRIVATE_NOTE_LENGTH, issued_to: MAX_ISSUED_LENGTH, issued_by: MAX_ISSUED_LENGTH },
} as const
const CONTROL = /\p{Cc}/u
/** Matches control characters other than line feeds. */
const CONTROL_OF_LINES = /[^\P{Cc}\n]/u

export const readEntry: EntryReader = (given, now) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'is not an object'
  const unknown = Object.keys(given).find((name) => !KNOWN.has(name))
  if (unknown !== undefined) return `${unknown.slice(0, 100).toWellFormed()}: is not a known field`
  const form: Form = { members: given as Members, complaints: [] }
  const entry: Entry = {
    ...NEW_ENTRY,
    key: readKey(form),
    chat_id: readText(form, 'chat_id'),
    fingerprint: readText(form, 'fingerprint'),
    key_expires: readTime(form, 'key_expires'),
    note: readText(form, 'note'),
    executor: readText(form, 'executor'),
    ...readBlacklist(form, now),
    tags: readTags(form),
    ...readMetadata(form),
    private_note: readText(form, 'private_note', CONTROL_OF_LINES),
    issued_to: readText(form, 'issued_to'),
    issued_by: readText(form, 'issued_by'),
    issued_at: readTime(form, 'issued_at'),
  }
  return form.complaints[0] ?? entry
}

/** An entry that is read field by field. If a field cannot be read, it becomes null and an error is added. */
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
  if (key === null || (typeof key === 'string' && isImportable(key))) return key
  return complain(form, 'key', KEY_WORDS)
}

function readText(form: Form, member: keyof typeof LENGTHS, control = CONTROL): string | null {
  const value = memberOf(form, member)
  if (value === null) return null
  if (typeof value !== 'string') return complain(form, member, 'must be a string')
  const plain = unquoteFormulas(value.trim())
  const text = control === CONTROL ? onOneLine(plain) : plain
  if ([...text].length > LENGTHS[member])
    return complain(form, member, `must have at most ${LENGTHS[member]} characters`)
  if (control.test(text)) return complain(form, member, 'must not contain control characters')
  if (!text.isWellFormed()) return complain(form, member, 'must not contain an unpaired surrogate')
  return text || null
}

function readTags(form: Form): string | null {
  const given = memberOf(form, 'tags') ?? []
  const unfit = complainOfTags(given)
  return unfit === undefined ? storedTags(given as string[]) : complain(form, 'tags', unfit)
}

function readMetadata(form: Form): Pick<Entry, 'metadata' | 'metadata_labels'> {
  const given = memberOf(form, 'metadata') ?? {}
  const unfit = isObject(given) ? complainOfMetadata(given) : 'must be an object'
  if (unfit === undefined) return storedMetadata(given as Members)
  return { metadata: complain(form, 'metadata', unfit), metadata_labels: null }
}

function isObject(given: unknown): given is Members {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}

function readTime(form: Form, member: 'key_expires' | 'blacklist_expires' | 'issued_at'): number | null {
  const value = memberOf(form, member)
  if (value === null || value === 0 || value === NO_EXPIRY) return null
  if (typeof value !== 'number' || value < 0) return complain(form, member, 'must be a timestamp')
  const time = Math.round(value < LATEST_SECONDS ? value * 1000 : value)
  return time > NEVER ? complain(form, member, 'must be before the year 10000') : time || null
}

/** Tries the field's names in order, and returns the first value found. */
function memberOf({ members }: Form, member: Member): unknown {
  const name = NAMES[member].find((one) => (members[one] ?? null) !== null)
  return name === undefined ? null : members[name]
}
