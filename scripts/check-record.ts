/**
 * Lists the errors that an endpoint declares but that no test caused, using the records of
 * `packages/server/test/record.ts`.
 */
import { globSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { endpoints } from '../packages/server/src/endpoints.ts'
import { endpointName } from '../packages/server/test/record.ts'
import { ROOT } from './run.ts'

const FOLDER = path.join(ROOT, '.tsbuild', 'record')

export function clearRecord(): void {
  rmSync(FOLDER, { recursive: true, force: true })
}

/** Returns one line for each declared error that no test caused. */
export function neverCaused(): string[] {
  const files = globSync('*.json', { cwd: FOLDER })
  const caused = files.flatMap(
    (file) => JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as string[],
  )
  const declared = endpoints.flatMap(({ name, failures }) =>
    Object.keys(failures).map((reason) => `${endpointName(name)} ${reason}`),
  )
  return missing(declared, caused)
}

export function missing(declared: readonly string[], caused: readonly string[]): string[] {
  const seen = new Set(caused)
  return [...new Set(declared)].filter((one) => !seen.has(one)).map((one) => `not covered by a test: ${one}`)
}
