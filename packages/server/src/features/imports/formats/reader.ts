/**
 * Picks a reader for an import's records: the one for the given source, or for the service detected from the
 * field names.
 */

import { isImportable, KEY_WORDS } from '../import-texts.ts'
import { type Entry, type EntryReader, readEntry } from '../read-entry.ts'
import { ForeignRecord } from './record.ts'
import { OWN_NAMES, SERVICES, type Service, services } from './rivals.ts'

/** `csv`: a spreadsheet exported from any of these services, or one with Scriptward's column names. */
export const SOURCES = ['auto', ...SERVICES, 'csv'] as const
export type Source = (typeof SOURCES)[number]

export type ForeignReader = {
  /** Undefined if the records are in Scriptward's own format. */
  readonly service: Service | undefined
  readonly read: EntryReader
  /** Maps the service's fields to Scriptward's. Empty if they are the same. */
  readonly mapped: Readonly<Record<string, string>>
  /**
   * Fields ignored in the records read so far, without duplicates. Undefined if unknown fields are errors.
   */
  readonly unknown: (() => string[]) | undefined
}

/** Number of records inspected to detect the service. */
const LOOKED_AT = 100
const MAX_UNKNOWN = 100

export function readerFor(source: Source, records: readonly unknown[]): ForeignReader {
  const service = source === 'auto' || source === 'csv' ? tellService(records) : source
  if (service === undefined && source !== 'csv') {
    const read: EntryReader = (given, now) => readEntry(membersOf(given) ?? given, now)
    return { service, read, mapped: {}, unknown: undefined }
  }
  const { read, mapped } = service === undefined ? OWN_NAMES : services[service]
  const unknown = new Set<string>()
  return {
    service,
    mapped,
    unknown: () => [...unknown],
    read: (given, now) => {
      const members = membersOf(given)
      if (members === undefined) return 'is not an object'
      const record = new ForeignRecord(members)
      const entry = read(record, now)
      for (const name of record.unknown())
        if (unknown.size < MAX_UNKNOWN) unknown.add(name.slice(0, 100).toWellFormed())
      return record.complaints[0] ?? refuseKey(entry, record) ?? entry
    },
  }
}

function tellService(records: readonly unknown[]): Service | undefined {
  const names = new Set(records.slice(0, LOOKED_AT).flatMap(namesIn))
  const scores = SERVICES.map((service) => ({
    service,
    score: services[service].keys.some((name) => names.has(name))
      ? services[service].marks.filter((name) => names.has(name)).length
      : 0,
  }))
  const best = scores.reduce((one, other) => (other.score > one.score ? other : one))
  return best.score === 0 ? undefined : best.service
}

/** Returns the field names of a record. For JSON:API records, these include `attributes`. */
function namesIn(given: unknown): string[] {
  const members = membersOf(given)
  if (members === undefined) return []
  const isWrapped = typeof given === 'object' && members !== given
  return [...Object.keys(members), ...(isWrapped ? ['attributes'] : [])]
}

/** Unwraps the attributes of a JSON:API record. Treats a string as a key. */
function membersOf(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof given === 'string') return { key: given }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  const { attributes } = given as { attributes?: unknown }
  const isWrapped = typeof attributes === 'object' && attributes !== null && !Array.isArray(attributes)
  return (isWrapped ? attributes : given) as Readonly<Record<string, unknown>>
}

function refuseKey({ key }: Entry, { needsKey }: ForeignRecord): string | undefined {
  if (key === null) return needsKey ? 'key: is missing' : undefined
  return isImportable(key) ? undefined : `key: ${KEY_WORDS}`
}
