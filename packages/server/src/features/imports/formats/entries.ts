/**
 * Reads and validates an import's entries into JSON strings. Strings are cheap to pass between processes, and
 * each slice is parsed only when it is needed.
 */
import { type Entry, type EntryReader, readEntry } from '../read-entry.ts'
import { readCsv, type Unread } from './csv.ts'
import { readerFor, type Source } from './reader.ts'
import type { Service } from './rivals.ts'

/** A valid entry, or the reason why it was skipped. */
export type ReadEntry = Entry | string

/** The result that is passed between processes. */
export type ListedEntries = {
  readonly count: number
  /** JSON of `SLICE` entries each, in order. Empty if there are more entries than an import can have. */
  readonly slices: readonly string[]
  /** Service that the entries were exported from. Absent if they are in Scriptward's own format. */
  readonly from?: Service | undefined
  readonly mapped?: Readonly<Record<string, string>>
  /** Fields that were ignored. */
  readonly unknown?: readonly string[]
}

/** Request fields that specify what to import. */
export type ImportMembers = {
  readonly users?: readonly unknown[] | null | undefined
  readonly csv?: string | null | undefined
  readonly from?: Source | null | undefined
}
/**
 * `now` is the time of the import, in milliseconds. If there are more than `limit` entries, returns only
 * their number.
 */
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
  // Spreadsheets contain numbers as strings, which only the reader for other services accepts.
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

/** Returns the entries from `start` up to, but not including, `end`. */
export function entriesBetween({ slices }: ListedEntries, start: number, end: number): ReadEntry[] {
  const first = Math.floor(start / SLICE)
  const parsed = slices
    .slice(first, Math.ceil(end / SLICE))
    .flatMap((text) => JSON.parse(text) as ReadEntry[])
  return parsed.slice(start - first * SLICE, end - first * SLICE)
}
