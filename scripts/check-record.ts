/**
 * Reads what a whole run of the tests met, which `packages/server/test/record.ts` explains, and names what it never
 * met: refusals that an endpoint declares, on any engine, and functions of the store, on each of both.
 */
import { globSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { endpoints } from '../packages/server/src/endpoints/list.ts'
import type { Notes } from '../packages/server/test/record.ts'
import { ROOT } from './run.ts'
import { allStoreFunctions } from './store-functions.ts'

const FOLDER = path.join(ROOT, '.tsbuild', 'record')
const ENGINES = ['SQLite', 'PostgreSQL']

/** A run begins with an empty record. */
export function clearRecord(): void {
  rmSync(FOLDER, { recursive: true, force: true })
}

/** One line for each thing that no test met. */
export function neverMet(): string[] {
  const files = globSync('*.json', { cwd: FOLDER })
  const notes = files.map((file) => JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Notes)
  const declared = endpoints.flatMap(({ name, failures }) =>
    Object.keys(failures).map((reason) => `${endpointName(name)} ${reason}`),
  )
  return missing(notes, { declared, storeFunctions: allStoreFunctions() })
}

type Expected = { readonly declared: readonly string[]; readonly storeFunctions: readonly string[] }

export function missing(notes: readonly Notes[], { declared, storeFunctions }: Expected): string[] {
  const calls = new Set(notes.flatMap((one) => one.calls))
  const refusals = new Set(notes.flatMap((one) => one.refusals.map((line) => line.replace(/^\w+ /, ''))))
  const unused = ENGINES.flatMap((engine) => storeFunctions.map((name) => `${engine} ${name}`))
  return [
    ...new Set(declared.filter((one) => !refusals.has(one)).map((one) => `never provoked: ${one}`)),
    ...unused.filter((one) => !calls.has(one)).map((one) => `never run on ${one}`),
  ]
}

/** The same endpoint may be there under `/v1` too, and for clients that can only send a GET. */
export function endpointName(name: string): string {
  return name.replace(/^v1\./, '').replace(/By(Get|Query)$/, '')
}
