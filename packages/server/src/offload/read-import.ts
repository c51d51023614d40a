/** Parses the body of an import, and reads and validates its entries in the same process. */
import { hash } from 'node:crypto'
import { type ListedEntries, readEntries } from '../features/imports/formats/entries.ts'
import { SOURCES, type Source } from '../features/imports/formats/reader.ts'
import { type JsonRules, parseJson, standIn, type Unfit } from './json-body.ts'

export type ImportBytes = {
  readonly bytes: Uint8Array
  readonly rules: JsonRules
  /** Time of the import, in milliseconds. */
  readonly now: number
  /** Maximum number of entries per import. */
  readonly limit: number
}

/**
 * More fields than any import has. A body with more fields than this has an unknown field among the first
 * ones.
 */
const MAX_MEMBERS = 100
/**
 * Maximum number of characters. Apart from its list, an import contains only short strings, such as service
 * names and IDs.
 */
const MAX_TEXT_LENGTH = 1000

/**
 * The body, and a digest of the full body. Potentially large values are replaced with placeholders, because
 * copying them would block the event loop.
 */
export type ReadImport = {
  readonly value: unknown
  readonly entries?: ListedEntries
  readonly digest: string
}

export function readImport({ bytes, rules, now, limit }: ImportBytes): ReadImport | Unfit {
  const parsed = parseJson(bytes, rules)
  if ('fix' in parsed) return parsed
  const { value } = parsed
  const digest = hash('sha256', bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { value: [], digest }
  const { users, csv, from } = value as Record<string, unknown>
  const members = Object.entries(value).slice(0, MAX_MEMBERS)
  const body = Object.fromEntries(
    members.map(([name, one]) => [name, standIn(one, name === 'csv' ? 1 : MAX_TEXT_LENGTH)]),
  )
  const isList = users === undefined || users === null || Array.isArray(users)
  const isText = csv === undefined || csv === null || typeof csv === 'string'
  const isSource = from === undefined || SOURCES.some((one) => one === from)
  // The endpoint's schema will reject this body.
  if (!isList || !isText || !isSource || (users && csv)) return { value: body, digest }
  const entries = readEntries({ users, csv, from: from as Source | undefined }, { now, limit })
  return 'fix' in entries ? entries : { value: body, entries, digest }
}
