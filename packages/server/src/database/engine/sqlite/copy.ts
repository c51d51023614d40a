/** Copies of a SQLite database while a service writes to it, and looking into them. */
import { closeSync, openSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'
import type { Ask, ListTables, Row } from '../contents.ts'
import { columnsOf, type ReadTable, type TableName } from '../table-hashes.ts'
import { PIECE_BYTES, pacedSync } from '../throttled-write.ts'
import { BUSY_TIMEOUT_MS } from './open.ts'

const PAGE_BYTES = 4096
const PAGES_AT_ONCE = PIECE_BYTES / PAGE_BYTES

/** Copies `from` as it is now to the new file `to`, readable by its owner alone. Writers and readers go on meanwhile. */
export async function copySqlite(from: string, to: string, signal: AbortSignal): Promise<void> {
  const descriptor = openSync(to, 'wx', 0o600)
  const source = new DatabaseSync(from, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  const rest = pacedSync(descriptor)
  const progress = () => {
    signal.throwIfAborted()
    rest()
  }
  try {
    // All steps read one state of the WAL: without it the copy would begin again at each commit of another connection.
    source.exec('begin; select count(*) from sqlite_schema')
    await backup(source, to, { rate: PAGES_AT_ONCE, progress })
  } finally {
    source.close()
    closeSync(descriptor)
  }
  const copy = new DatabaseSync(to)
  try {
    // One file alone: the copy has the mode of its source, which keeps a second and a third beside it.
    copy.exec('pragma journal_mode = delete')
  } finally {
    copy.close()
  }
}

/** Runs `ask` on a file that is only read. Throws when it is no database. */
export async function askSqlite<T>(file: string, run: (ask: Ask) => Promise<T>): Promise<T> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
  try {
    return await run(async (sql) => database.prepare(sql).all())
  } finally {
    database.close()
  }
}

/** A page, a row or an index of a file is not as SQLite wrote it. Carries the code that SQLite gives to such errors. */
class DamagedDatabase extends Error {
  readonly errcode = CORRUPT
}

const CORRUPT = 11
const NO_DATABASE = 26
const HEADING = /^\*\*\* in database main \*\*\*\s*/

/** Whether an error of SQLite means that its file is damaged, and not busy, full or away. */
export function isDamage(error: unknown): error is Error {
  // The lower byte; the others say more.
  return [CORRUPT, NO_DATABASE].includes(((error as { errcode?: number }).errcode ?? 0) & 0xff)
}

/**
 * Throws a {@link DamagedDatabase} for a file that is damaged anywhere. It reads every page, which takes seconds for a large
 * database: call it in a command or in a thread, never where requests are answered.
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

/** The last `seq` of each table that has given one. */
export async function lastNumbers(ask: Ask): Promise<Map<string, number>> {
  const rows = await ask('select name, seq from sqlite_sequence where seq > 0')
  return new Map(rows.map(({ name, seq }) => [String(name), Number(seq)]))
}

/** Nobody can write until the answer is called. Throws when somebody does right now. */
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

/** Runs `use` on one state of the database, for as long as that takes. */
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
