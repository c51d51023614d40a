/**
 * What a whole run of the tests met, so that nobody has to keep a list of what is tested: each refusal that an
 * endpoint answered, and each function of the store that ran, with the engine it ran on.
 *
 * The harness and the protocol client note refusals; `scripts/record-plugin.ts` wraps the functions of the store.
 * Each test file leaves its notes in `.tsbuild/record/`, and `scripts/check-record.ts` reads them after the run and
 * fails with what was never met. `npm test` asks for this by `SCRIPTWARD_RECORD`; a run of some files does not.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PostgresAdapter } from 'kysely'
import type { Queries } from '../src/store/engine/db.ts'

const FOLDER = path.join(import.meta.dirname, '..', '..', '..', '.tsbuild', 'record')

export type EngineName = 'SQLite' | 'PostgreSQL'
/** `SQLite users.findUser`, and `SQLite projects.edit account_expired`. */
export type Notes = { readonly calls: readonly string[]; readonly refusals: readonly string[] }

const calls = new Set<string>()
const refusals = new Set<string>()
const engineAt = new Map<string, EngineName>()

/** The same function, which notes under this name that it ran. */
export function noted<A extends [Queries, ...unknown[]], R>(name: string, run: (...given: A) => R) {
  return (...given: A): R => {
    const isPostgres = given[0].getExecutor().adapter instanceof PostgresAdapter
    calls.add(`${isPostgres ? 'PostgreSQL' : 'SQLite'} ${name}`)
    return run(...given)
  }
}

/** From now on, what this server answers is noted for its engine. */
export function noteServer(url: string, engine: EngineName): void {
  engineAt.set(url, engine)
}

/** `endpoint` is its name; its twins under `/v1` and for a GET are the same endpoint. */
export function noteRefusal(url: string, endpoint: string, reason: string): void {
  const engine = engineAt.get(/^http:\/\/[^/]+/.exec(url)?.[0] ?? '')
  refusals.add(`${engine} ${endpoint.replace(/^v1\./, '').replace(/By(Get|Query)$/, '')} ${reason}`)
}

export function saveNotes(): void {
  const notes: Notes = { calls: [...calls], refusals: [...refusals] }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(path.join(FOLDER, `${randomUUID()}.json`), JSON.stringify(notes))
}
