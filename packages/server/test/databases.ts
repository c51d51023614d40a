/**
 * Creates an empty, migrated database for a test on each engine: `describe.each(engines)('… on $name',
 * (engine) => …)`. The caller owns the database and deletes it with `remove`.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { effort } from '../../client/test/effort.ts'
import { Refused } from '../src/api/refusals.ts'
import type { Database } from '../src/database/engine/db.ts'
import { type OpenOptions, openDatabase } from '../src/database/engine/open.ts'

/** Location for an empty database. On both engines, `dataDir` exists for the server's other files. */
export type Location = OpenOptions & { readonly remove: () => Promise<void> }

export type TestDatabase = Database & { readonly location: Location; readonly remove: () => Promise<void> }

export type Engine = {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** An empty location, for tests of the first startup. */
  readonly locate: () => Promise<Location>
  /**
   * A location with the current schema and no rows. It is copied from a template, which takes a tenth of the
   * time of running the migrations.
   */
  readonly locateMigrated: () => Promise<Location>
  /** An open database with the current schema and no rows. */
  readonly open: () => Promise<TestDatabase>
}

const SQLITE_FILE = 'scriptward.db'

/** One template for all tests in a worker. */
let sqliteTemplate: Promise<Buffer> | undefined
let postgresTemplate: Promise<string> | undefined

export const isRefusal = (value: unknown): boolean => value instanceof Refused

export const sqlite: Engine = {
  name: 'SQLite',
  locate: locateSqlite,
  locateMigrated: locateMigratedSqlite,
  open: () => locateMigratedSqlite().then(reopen),
}
export const postgres: Engine = {
  name: 'PostgreSQL',
  locate: () => locatePostgres('template0'),
  locateMigrated: locateMigratedPostgres,
  open: () => locateMigratedPostgres().then(reopen),
}
export const engines: readonly Engine[] = [sqlite, postgres]

/**
 * Engines for suites that do not depend on the database: SQLite in ordinary runs, both engines in `npm run
 * test:nightly`. Suites about statements, transactions, durability, several processes or many rows use
 * `engines`.
 */
export const anyEngine: readonly Engine[] = effort({ day: [sqlite], night: engines })

async function locateSqlite(): Promise<Location> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-test-'))
  return { dataDir, isRefusal, remove: async () => rmSync(dataDir, { recursive: true, force: true }) }
}

async function locateMigratedSqlite(): Promise<Location> {
  const location = await locateSqlite()
  sqliteTemplate ??= migrateSqliteTemplate()
  writeFileSync(path.join(location.dataDir, SQLITE_FILE), await sqliteTemplate, { mode: 0o600 })
  return location
}

/** The content of a migrated file. Closing the database has moved the entire write-ahead log into it. */
async function migrateSqliteTemplate(): Promise<Buffer> {
  const location = await locateSqlite()
  await (await openDatabase(location)).close()
  const content = readFileSync(path.join(location.dataDir, SQLITE_FILE))
  await location.remove()
  return content
}

async function locateMigratedPostgres(): Promise<Location> {
  postgresTemplate ??= migratePostgresTemplate()
  return locatePostgres(await postgresTemplate)
}

/** The name of a migrated database. It is deleted along with this run's database server. */
async function migratePostgresTemplate(): Promise<string> {
  const location = await locatePostgres('template0')
  await (await openDatabase(location)).close()
  return path.basename(location.databaseUrl ?? '')
}

async function locatePostgres(template: string): Promise<Location> {
  const folder = await locateSqlite()
  const server = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  await onServer(server, `create database ${name} template ${template}`)
  const databaseUrl = server.replace(/[^/]+$/, name)
  const remove = async () => {
    await onServer(server, `drop database if exists ${name} with (force)`)
    await folder.remove()
  }
  return { ...folder, databaseUrl, remove }
}

/** Reopens a test's database after it has been closed. */
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
