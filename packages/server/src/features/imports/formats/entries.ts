/**
 * The entries of an import, read and judged, as texts of JSON: so they pass from a child process at the cost of a copy,
 * and each slice is parsed when its turn comes.
 */
import { type Entry, type EntryReader, readEntry } from '../read-entry.ts'
import { readCsv, type Unread } from './csv.ts'
import { readerFor, type Source } from './reader.ts'
import type { Service } from './rivals.ts'

/** An entry that can be a user, or why it cannot. */
export type ReadEntry = Entry | string

/** What passes between processes. */
export type ListedEntries = {
  readonly count: number
  /** `SLICE` entries each, in their order; none where there are more than an import may have. */
  readonly slices: readonly string[]
  /** The service that they come from; absent where they are as this service exports them. */
  readonly from?: Service | undefined
  readonly mapped?: Readonly<Record<string, string>>
  /** Members that were left out. */
  readonly unknown?: readonly string[]
}

/** The members of a request that say what to import. */
export type ImportMembers = {
  readonly users?: readonly unknown[] | null | undefined
  readonly csv?: string | null | undefined
  readonly from?: Source | null | undefined
}
/** `now` is the time of the import, in milliseconds; of more entries than `limit` only their number is told. */
export type ReadingLimits = { readonly now: number; readonly limit: number }

const SLICE = 500

export function readEntries(
  { users, csv, from }: ImportMembers,
  { now, limit }: ReadingLimits,
): ListedEntries | Unread {
  const isCsv = typeof csv === 'string'
  const entries = isCsv ? readCsv(csv, limit) : (users ?? [])
  if ('fix' in entries) return entries
  if (entries.length > limit) return { count: entries.length, slices: [] }
  // A spreadsheet has texts for numbers, which only a reader of foreign records takes.
  const source = isCsv && (!from || from === 'auto') ? 'csv' : from
  if (!source) return { count: entries.length, slices: slicesOf(entries, readEntry, now) }
  const { service, read, mapped, unknown } = readerFor(source, entries)
  const slices = slicesOf(entries, read, now)
  return {
    count: entries.length,
    slices,
    mapped,
    ...(service !== undefined && { from: service }),
    ...(unknown !== undefined && { unknown: unknown() }),
  }
}

function slicesOf(entries: readonly unknown[], read: EntryReader, now: number): string[] {
  return Array.from({ length: Math.ceil(entries.length / SLICE) }, (_, i) =>
    JSON.stringify(entries.slice(i * SLICE, (i + 1) * SLICE).map((entry) => read(entry, now))),
  )
}

/** Those from `start` up to but not including `end`. */
export function entriesBetween({ slices }: ListedEntries, start: number, end: number): ReadEntry[] {
  const first = Math.floor(start / SLICE)
  const parsed = slices
    .slice(first, Math.ceil(end / SLICE))
    .flatMap((text) => JSON.parse(text) as ReadEntry[])
  return parsed.slice(start - first * SLICE, end - first * SLICE)
}
