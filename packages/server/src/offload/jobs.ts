/**
 * The pool's jobs, which are pure functions of their input. They are loaded only in the worker thread of a
 * child process. All other code imports only their types.
 */
import { mapReports } from '../features/errors/map-reports.ts'
import { diffSources } from '../features/scripts/diff-sources.ts'
import { mapPlaces } from '../features/traces/map-places.ts'
import { searchCopy } from '../features/traces/search-copy.ts'
import { type JsonRules, parseJson, withoutWrongLists } from './json-body.ts'
import { readImport } from './read-import.ts'

type BodyBytes = {
  readonly bytes: Uint8Array
  readonly rules: JsonRules
  /** Fields that must be arrays, according to the schema. */
  readonly lists: readonly string[]
}

export const jobs = {
  /** Searches leaked code for the watermarks of versions. */
  searchCopy,
  /** Maps a traceback to lines of the author's source. */
  mapPlaces,
  /** Maps error reports from one version, and derives each error's identity. */
  mapReports,
  /** Compares two versions of a source. */
  diffSources,
  /** Parses a large body. */
  parseBody: ({ bytes, rules, lists }: BodyBytes) => {
    const parsed = parseJson(bytes, rules)
    return 'fix' in parsed ? parsed : { value: withoutWrongLists(parsed.value, lists) }
  },
  /** Parses the body of an import and reads its JSON or CSV entries. */
  readImport,
}

export type Jobs = typeof jobs
export type JobName = keyof Jobs
