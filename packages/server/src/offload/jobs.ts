/**
 * The jobs that the pool runs: pure functions of their input. They are loaded in the worker thread of a child process
 * only; everything else imports their types.
 */
import { mapPlaces } from '../domain/scripts/map-places.ts'
import { searchCopy } from '../domain/scripts/search-copy.ts'
import { type JsonRules, parseJson } from './json-body.ts'
import { readImport } from './read-import.ts'

type BodyBytes = { readonly bytes: Uint8Array; readonly rules: JsonRules }

export const jobs = {
  /** Finds the watermarks of versions in a text that leaked. */
  searchCopy,
  /** Maps a traceback to the author's lines. */
  mapPlaces,
  /** Parses a large body. */
  parseBody: ({ bytes, rules }: BodyBytes) => parseJson(bytes, rules),
  /** Parses the body of an import and reads its entries, JSON or CSV. */
  readImport,
}

export type Jobs = typeof jobs
export type JobName = keyof Jobs
