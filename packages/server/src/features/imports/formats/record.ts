/**
 * Reads a record from another service field by field. Spreadsheets have strings where APIs have numbers, so
 * both are accepted. For each value that can't be read, an error with the other service's field name is
 * added.
 */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import {
  complainOfMetadata,
  complainOfTags,
  type LabelColumns,
  storedMetadata,
  storedTags,
} from '../../keys/labels.ts'
import { onOneLine } from '../import-texts.ts'

type Members = Readonly<Record<string, unknown>>

/** Smaller values are in seconds. In milliseconds, they would be before March 1973. */
const LATEST_SECONDS = 100_000_000_000
const LATEST = 253_402_300_799_999
const NOTHING = /^(|null|none|never|lifetime|n\/a|n-a)$/i

export class ForeignRecord {
  readonly complaints: string[]
  /** If true, skips an entry without a key instead of generating a new key. */
  needsKey = true
  readonly #members: Members
  readonly #known = new Set<string>()

  constructor(members: Members, complaints: string[] = []) {
    this.#members = members
    this.complaints = complaints
  }

  /** Returns the fields that were never read. */
  unknown(): string[] {
    return Object.keys(this.#members).filter((name) => !this.#known.has(name))
  }

  /** Marks fields that have no meaning in Scriptward as read, so that they aren't listed as unknown. */
  drop(...names: readonly string[]): void {
    for (const name of names) this.#known.add(name)
  }

  /** Returns the value unchanged, or null for values that mean "none". */
  raw(name: string): unknown {
    this.#known.add(name)
    const value = Object.hasOwn(this.#members, name) ? this.#members[name] : null
    const isNothing = typeof value === 'string' && NOTHING.test(value.trim())
    return isNothing ? null : (value ?? null)
  }

  key(name: string): string | null {
    return this.text(name, MAX_USER_KEY_LENGTH)
  }

  text(name: string, longest: number): string | null {
    const value = this.raw(name)
    if (value === null) return null
    if (typeof value !== 'string' && typeof value !== 'number')
      return this.#complain(name, 'must be a string')
    const text = onOneLine(String(value).trim())
    if ([...text].length > longest) return this.#complain(name, `must have at most ${longest} characters`)
    if (/\p{Cc}/u.test(text)) return this.#complain(name, 'must not contain control characters')
    return text.isWellFormed() ? text : this.#complain(name, 'must not contain an unpaired surrogate')
  }

  /** Returns a whole number of at least 0. -1 and missing values become null. */
  count(name: string): number | null {
    const value = this.raw(name)
    if (value === null) return null
    const number = typeof value === 'string' ? Number(value) : value
    if (number === -1) return null
    if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 2_147_483_647)
      return number
    return this.#complain(name, 'must be a whole number')
  }

  flag(name: string): boolean {
    const value = this.raw(name)
    if (value === null) return false
    const text = String(value).trim().toLowerCase()
    if (['true', '1', 'yes'].includes(text)) return true
    if (!['false', '0', 'no', '-1'].includes(text)) this.#complain(name, 'must be true or false')
    return false
  }

  /** Reads a list of records, or a JSON string that contains one. */
  records(name: string): ForeignRecord[] {
    const value = this.raw(name)
    const list = typeof value === 'string' ? readJson(value) : value
    const isList = Array.isArray(list) && list.every((one) => typeof one === 'object' && one !== null)
    if (isList) return list.map((one: Members) => new ForeignRecord(one, this.complaints))
    this.#complain(name, 'must be an array')
    return []
  }

  /** Reads seconds, milliseconds or a date string. 0 and -1 become null. */
  time(name: string): number | null {
    const value = this.raw(name)
    if (value === null || value === 0 || value === -1) return null
    const time = typeof value === 'string' ? readTime(value.trim()) : value
    if (time === 0 || time === -1) return null
    if (typeof time !== 'number' || !Number.isFinite(time) || time < 0)
      return this.#complain(name, 'must be a timestamp')
    const ms = Math.round(time < LATEST_SECONDS ? time * 1000 : time)
    return ms > LATEST ? this.#complain(name, 'must be before the year 10000') : ms
  }

  /** Reads a list or a comma-separated string. */
  tags(name: string): string | null {
    const value = this.raw(name)
    if (value === null) return null
    const tags = typeof value === 'string' ? value.split(',') : value
    const unfit = complainOfTags(tags)
    return unfit === undefined ? storedTags(tags as string[]) : this.#complain(name, unfit)
  }

  /** Reads an object, or a JSON string that contains one. */
  metadata(name: string): Pick<LabelColumns, 'metadata' | 'metadata_labels'> {
    const value = this.raw(name)
    const given = typeof value === 'string' ? readJson(value) : (value ?? {})
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
    const unfit = isObject ? complainOfMetadata(given as Members) : 'must be an object'
    if (unfit === undefined) return storedMetadata(given as Members)
    return { metadata: this.#complain(name, unfit), metadata_labels: null }
  }

  #complain(name: string, words: string): null {
    this.complaints.push(`${name}: ${words}`)
    return null
  }
}

/** Treats a date without an offset as UTC, because these services export dates that way. */
function readTime(text: string): number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  // JavaScript reads a day in any other form, such as 12/24/2026, in the server's time zone.
  if (!/\d:\d/.test(text)) return Date.parse(/^\d{4}-\d\d(-\d\d)?$/.test(text) ? text : `${text} UTC`)
  const isZoned = /(Z|[+-]\d\d:?\d\d)$/i.test(text)
  return Date.parse(isZoned ? text : `${text.replace(' ', 'T')}Z`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
