/** Copies a SQLite database while a server writes to it, and inspects copies. */
import { closeSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Ask, ListTables, Row } from '../contents.ts'
import { columnsOf, type ReadTable, type TableName } from '../table-hashes.ts'
import { PIECE_BYTES, pacedSync } from '../throttled-write.ts'
import { BUSY_TIMEOUT_MS } from './open.ts'

const PAGE_BYTES = 4096
const PAGES_AT_ONCE = PIECE_BYTES / PAGE_BYTES

/**
 * Copies the current state of `from` to the new file `to`, which only its owner can read. Writers and readers
 * are not blocked.
 */
export async function copySqlite(from: string, to: string, signal: AbortSignal): Promise<void> {
  const descriptor = openSync(to, 'wx', 0o600)
  const source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  const rest = pacedSync(descriptor)
  const progress = () => {
    signal.throwIfAborted()
    rest()
  }
  try {
    // Pins one state of the WAL. Otherwise, the copy would restart at each commit on another connection.
    source.exec('begin; select count(*) from sqlite_schema')
    await backup(source, to, { rate: PAGES_AT_ONCE, progress })
  } finally {
    source.close()
    closeSync(descriptor)
  }
  const copy = new DatabaseSync(to)
  try {
    // Makes the copy a single file. It inherits the source's WAL mode, which uses two extra files.
    copy.exec('pragma journal_mode = delete')
  } finally {
    copy.close()
  }
}

/** Opens a file read-only and passes `run` a function to query it. Throws if the file is not a database. */
export async function askSqlite<T>(file: string, run: (ask: Ask) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    return await run(async (sql) => database.prepare(sql).all())
  } finally {
    database.close()
  }
}

/** Thrown if a page, row or index of a file is damaged. Contains SQLite's own error code for corruption. */
class DamagedDatabase extends Error {
  readonly errcode = CORRUPT
}

const CORRUPT = 11
const NO_DATABASE = 26
const HEADING = /^\*\*\* in database main \*\*\*\s*/

/** Whether a SQLite error means that the file is damaged, as opposed to busy, full or missing. */
export function isDamage(error: unknown): error is Error {
  // The low byte is the primary code. The other bytes extend it.
  return [CORRUPT, NO_DATABASE].includes(((error as { errcode?: number }).errcode ?? 0) & 0xff)
}

/**
 * Throws a {@link DamagedDatabase} if any part of the file is damaged. Reads every page, which takes seconds
 * for a large database. Call it in a command or a thread, but never in a process that serves requests.
 */
export function refuseDamage(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    const found = Object.values(database.prepare('pragma quick_check(1)').get() ?? {}).join()
    if (found !== 'ok') throw new DamagedDatabase(found.replace(HEADING, '').replaceAll(/\s+/g, ' '))
  } finally {
    database.close()
  }
}

export const sqliteTables: ListTables = async (ask) => {
  const rows = await ask("select name from sqlite_schema where type = 'table'")
  return rows.map(({ name }) => String(name))
}

/** The last `seq` of each table that has ever assigned a `seq`. */
export async function lastNumbers(ask: Ask): Promise<Map<string, number>> {
  const rows = await ask('select name, seq from sqlite_sequence where seq > 0')
  return new Map(rows.map(({ name, seq }) => [String(name), Number(seq)]))
}

/** Blocks all writes until the returned function is called. Throws if a write is in progress. */
export function holdWrites(file: string): () => void {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    database.exec('begin immediate')
  } catch (error) {
    database.close()
    throw error
  }
  return () => database.close()
}

const ROWS_AT_ONCE = 2000

/** Runs `use` on one consistent snapshot of the database. */
export async function readSqlite<T>(
  file: string,
  use: (read: ReadTable, ask: Ask) => Promise<T>,
): Promise<T> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    database.exec('begin')
    return await use(
      (table) => batchesOf(database, table),
      async (sql) => database.prepare(sql).all(),
    )
  } finally {
    database.close()
  }
}

async function* batchesOf(database: DatabaseSync, table: TableName): AsyncGenerator<Row[]> {
  let batch: Row[] = []
  for (const row of database.prepare(`select ${columnsOf(table)} from ${table}`).iterate()) {
    batch.push(row as Row)
    if (batch.length < ROWS_AT_ONCE) continue
    yield batch
    batch = []
  }
  yield batch
}
