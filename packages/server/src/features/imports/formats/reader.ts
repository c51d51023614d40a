/** Reads the records of an import that says where they come from, or leaves it to be told by their members. */

import { isImportable, KEY_WORDS } from '../import-texts.ts'
import { type Entry, type EntryReader, readEntry } from '../read-entry.ts'
import { ForeignRecord } from './record.ts'
import { OWN_NAMES, SERVICES, type Service, services } from './rivals.ts'

/** `csv`: a spreadsheet of any of them, or with our own names. */
export const SOURCES = ['auto', ...SERVICES, 'csv'] as const
export type Source = (typeof SOURCES)[number]

export type ForeignReader = {
  /** The service; undefined where the records are as this service exports them. */
  readonly service: Service | undefined
  readonly read: EntryReader
  /** Its members → those that they become here; empty where they are our own. */
  readonly mapped: Readonly<Record<string, string>>
  /** Members that were left out, once each, of the records read so far; undefined where none may be unknown. */
  readonly unknown: (() => string[]) | undefined
}

/** Records that are looked at to tell the service. */
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

/** Of JSON:API also the member that wraps the others. */
function namesIn(given: unknown): string[] {
  const members = membersOf(given)
  if (members === undefined) return []
  const isWrapped = typeof given === 'object' && members !== given
  return [...Object.keys(members), ...(isWrapped ? ['attributes'] : [])]
}

/** Of JSON:API its attributes; a text is a key. */
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
