/**
 * Every refusal that a test caused, so that no one has to keep a list of the ones that are tested. Each test file
 * leaves its notes in `.tsbuild/record/`; after a run of all tests, `scripts/check-record.ts` reads them and fails for
 * each refusal that an endpoint declares and no test caused.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', '.tsbuild', 'record')

/** `projects.edit account_expired` */
const refusals = new Set<string>()

export function noteRefusal(endpoint: string, reason: string): void {
  refusals.add(`${endpointName(endpoint)} ${reason}`)
}

/** An endpoint may also exist under `/v1`, and once more for clients that can only send a GET. */
export function endpointName(name: string): string {
  return name.replace(/^v1\./, '').replace(/By(Get|Query)$/, '')
}

export function saveNotes(): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(path.join(FOLDER, `${randomUUID()}.json`), JSON.stringify([...refusals]))
}
