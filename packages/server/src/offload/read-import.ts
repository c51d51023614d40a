/** The body of an import, whose entries are read and judged where it is parsed. */
import { hash } from 'node:crypto'
import { type ListedEntries, readEntries } from '../domain/users/foreign/entries.ts'
import { SOURCES, type Source } from '../domain/users/foreign/reader.ts'
import { type JsonRules, parseJson, type Unfit } from './json-body.ts'

export type ImportBytes = {
  readonly bytes: Uint8Array
  readonly rules: JsonRules
  /** Of the import, in milliseconds. */
  readonly now: number
  /** Entries that an import may have. */
  readonly limit: number
}

/** The body with stand-ins for the lists that were read, and a digest of all of it. */
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
  const { users, csv, from, ...others } = value as Record<string, unknown>
  const body = {
    ...others,
    ...standIn('users', users),
    ...standIn('csv', csv),
    ...(from !== undefined && { from }),
  }
  const isList = users === undefined || users === null || Array.isArray(users)
  const isText = csv === undefined || csv === null || typeof csv === 'string'
  const isSource = from === undefined || SOURCES.some((one) => one === from)
  // The schema of the endpoint refuses it.
  if (!isList || !isText || !isSource || (users && csv)) return { value: body, digest }
  const entries = readEntries({ users, csv, from: from as Source | undefined }, { now, limit })
  return 'fix' in entries ? entries : { value: body, entries, digest }
}

/** Of the same type, so that the schema of the endpoint judges it as what it stands for. */
function standIn(name: string, value: unknown): Record<string, unknown> {
  if (value === undefined) return {}
  if (Array.isArray(value)) return { [name]: [] }
  if (typeof value === 'string') return { [name]: value.slice(0, 1) }
  return { [name]: typeof value === 'object' && value !== null ? {} : value }
}
