/**
 * An empty, migrated database for a test on each engine: `describe.each(engines)('… on $name', (engine) => …)`.
 * A database belongs to the one who asked for it and is removed by its `remove`.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { Refused } from '../src/domain/refusals.ts'
import type { Database } from '../src/store/engine/db.ts'
import { type OpenOptions, openDatabase } from '../src/store/engine/open.ts'

/** Where an empty database may be made; `dataDir` is there on both engines, for what else the service keeps. */
export type Location = OpenOptions & { readonly remove: () => Promise<void> }

export type TestDatabase = Database & { readonly location: Location; readonly remove: () => Promise<void> }

export type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** A place without any database, for a test that opens it itself or starts a server on it. */
  readonly locate: () => Promise<Location>
  /** An open database with the current schema and without rows. */
  readonly open: () => Promise<TestDatabase>
}

export const isRefusal = (value: unknown): boolean => value instanceof Refused

export const sqlite: Engine = {
  name: 'SQLite',
  locate: locateSqlite,
  open: () => locateSqlite().then(reopen),
}
export const postgres: Engine = {
  name: 'PostgreSQL',
  locate: locatePostgres,
  open: () => locatePostgres().then(reopen),
}
export const engines: readonly Engine[] = [sqlite, postgres]

/**
 * For suites about HTTP, pages, logs and metrics, in which the engine has no part: they run on SQLite. With
 * `SCRIPTWARD_TEST_ALL_ENGINES=1`, as every night, they run on both. What is about SQL, transactions, durability or
 * many rows is for `engines`.
 */
export const anyEngine: readonly Engine[] =
  process.env.SCRIPTWARD_TEST_ALL_ENGINES === '1' ? engines : [sqlite]

async function locateSqlite(): Promise<Location> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-test-'))
  return { dataDir, isRefusal, remove: async () => rmSync(dataDir, { recursive: true, force: true }) }
}

async function locatePostgres(): Promise<Location> {
  const folder = await locateSqlite()
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer(server, `create database ${name}`)
  const databaseUrl = server.replace(/[^/]+$/, name)
  const remove = async () => {
    await onServer(server, `drop database if exists ${name} with (force)`)
    await folder.remove()
  }
  return { ...folder, databaseUrl, remove }
}

/** Opens the database of a test again after it was closed. */
export async function reopen(location: Location): Promise<TestDatabase> {
  const db = await openDatabase(location)
  const remove = async () => {
    await db.close()
    await location.remove()
  }
  return { ...db, location, remove }
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
