/**
 * Records every error that a test causes, so that the list of tested errors needs no maintenance. Each test
 * file writes its record to `.tsbuild/record/`. After a complete run, `scripts/check-record.ts` reads the
 * records and reports each declared error that no test caused.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', '.tsbuild', 'record')

/** Each entry has the form `projects.edit account_expired`. */
const refusals = new Set<string>()

export function noteRefusal(endpoint: string, reason: string): void {
  refusals.add(`${endpointName(endpoint)} ${reason}`)
}

/**
 * Returns the name shared by the variants of an endpoint: unversioned, under `/v1`, and for clients that can
 * send only GET requests.
 */
export function endpointName(name: string): string {
  return name.replace(/^v1\./, '').replace(/By(Get|Query)$/, '')
}

export function saveNotes(): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(path.join(FOLDER, `${randomUUID()}.json`), JSON.stringify([...refusals]))
}
