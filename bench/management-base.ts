/** A database with one project of many users, written past the service, and the bare driver to compare with. */
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startPostgres } from '../packages/server/test/postgres.ts'
import type { Row } from './row.ts'
import { ADMIN_KEY, serve } from './served.ts'

export type Base = {
  readonly dataDir: string
  readonly settings: Record<string, string>
  /** Runs a statement on the bare driver and answers its rows. */
  query(statement: string): Promise<Record<string, unknown>[]>
  /** Reads every row of a statement on the bare driver and keeps none; answers how many there were. */
  drain(statement: string): Promise<number>
  /** The same database once more. */
  copy(): Promise<Base>
  remove(): Promise<void>
}
/** Rows of SQLite, then those of a PostgreSQL that runs for this. */
export async function onBothEngines(bench: (engine: string, base: Base) => Promise<Row[]>): Promise<Row[]> {
  const rows = await bench('SQLite', sqliteBase())
  const postgres = await startPostgres()
  try {
    return [...rows, ...(await bench('PostgreSQL', await postgresBase(postgres.url)))]
  } finally {
    await postgres.stop()
  }
}

export type Planted = { readonly base: Base; readonly projectId: string }

const FOLDER = 'scriptward-bench-'
const ROWS_AT_ONCE = 10_000

export function sqliteBase(dataDir = mkdtempSync(path.join(tmpdir(), FOLDER))): Base {
  const use = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path.join(dataDir, 'scriptward.db'), { timeout: 5000 })
    database.exec('pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -65536')
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    dataDir,
    settings: {},
    query: async (statement) => use((database) => database.prepare(statement).all()),
    drain: async (statement) => use((database) => [...counted(database.prepare(statement).iterate())].length),
    copy: async () => {
      const folder = mkdtempSync(path.join(tmpdir(), FOLDER))
      cpSync(dataDir, folder, { recursive: true })
      return sqliteBase(folder)
    },
    remove: async () => rmSync(dataDir, { recursive: true }),
  }
}

/** `template` is a database with all its rows, `keyring` the folder of what the service keeps beside it. */
export async function postgresBase(server: string, template = 'template1', keyring?: string): Promise<Base> {
  const name = `bench_${randomBytes(4).toString('hex')}`
  await onPostgres(server, (client) => client.query(`create database ${name} template ${template}`))
  const url = server.replace(/[^/]+$/, name)
  const dataDir = mkdtempSync(path.join(tmpdir(), FOLDER))
  if (keyring !== undefined) cpSync(keyring, dataDir, { recursive: true })
  return {
    dataDir,
    settings: { SCRIPTWARD_DATABASE_URL: url },
    query: async (statement) => (await onPostgres(url, (client) => client.query(statement))).rows,
    drain: (statement) => onPostgres(url, (client) => drainCursor(client, statement)),
    copy: () => postgresBase(server, name, dataDir),
    remove: async () => {
      await onPostgres(server, (client) => client.query(`drop database ${name} with (force)`))
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** Half of the users can expire, a tenth are bound, and all have a note with a number of their own. */
export async function plant(base: Base, users: number): Promise<Planted> {
  const served = await serve(base.dataDir, base.settings)
  const headers = { token: ADMIN_KEY, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'Large' })
  const made = await fetch(`${served.url}/v1/projects/new`, { method: 'POST', headers, body })
  const { project_id } = (await made.json()) as { project_id: string }
  await served.stop()
  const isPostgres = 'SCRIPTWARD_DATABASE_URL' in base.settings
  const numbers = isPostgres
    ? `generate_series(1, ${users}) as n (i)`
    : `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${users}) select i from n)`
  const key = isPostgres ? 'md5(random()::text || i)' : 'lower(hex(randomblob(16)))'
  await base.query(`insert into users (key, customer_id, project_id, note, executor, key_expires, fingerprint_assigned, created_at)
    select ${key}, (select customer_id from projects), '${project_id}', 'customer number ' || i, 'Wave', case when i % 2 = 0 then 4000000000000 end,
      case when i % 10 = 0 then 1 else 0 end, 0 from ${numbers}`)
  await base.query(`update projects set total_users = ${users}`)
  // What a service finds that has run for a while: no vacuum and no checkpoint of the load under way beside it.
  if (isPostgres) for (const word of ['vacuum analyze', 'checkpoint']) await base.query(word)
  return { base, projectId: project_id }
}

function* counted(rows: Iterable<unknown>): Generator<number> {
  for (const _ of rows) yield 1
}

async function drainCursor(client: pg.Client, statement: string): Promise<number> {
  await client.query(`begin; declare every_row cursor for ${statement}`)
  for (let count = 0; ; ) {
    const { rows } = await client.query(`fetch ${ROWS_AT_ONCE} from every_row`)
    count += rows.length
    if (rows.length === 0) return count
  }
}

async function onPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
