/**
 * The jobs that the pool runs: pure functions of their input. They are loaded in the worker thread of a child process
 * only; everything else imports their types.
 */
import { mapPlaces } from '../features/traces/map-places.ts'
import { searchCopy } from '../features/traces/search-copy.ts'
import { type JsonRules, parseJson, withoutWrongLists } from './json-body.ts'
import { readImport } from './read-import.ts'

type BodyBytes = {
  readonly bytes: Uint8Array
  readonly rules: JsonRules
  /** Members that the schema wants to be lists. */
  readonly lists: readonly string[]
}

export const jobs = {
  /** Finds the watermarks of versions in a text that leaked. */
  searchCopy,
  /** Maps a traceback to the author's lines. */
  mapPlaces,
  /** Parses a large body. */
  parseBody: ({ bytes, rules, lists }: BodyBytes) => {
    const parsed = parseJson(bytes, rules)
    return 'fix' in parsed ? parsed : { value: withoutWrongLists(parsed.value, lists) }
  },
  /** Parses the body of an import and reads its entries, JSON or CSV. */
  readImport,
}

export type Jobs = typeof jobs
export type JobName = keyof Jobs
