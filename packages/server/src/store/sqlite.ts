/**
 * SQLite through Node's own binding: one connection that only reads, so that nobody sees what is not committed,
 * and one that writes behind the queue of `sqlite-writer.ts`; changes of many rows have a thread of their own.
 */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DatabaseConnection, Kysely } from 'kysely'
import type { Database, Queries } from './db.ts'
import { type Connections, queriesOf, sqliteDialect } from './queries.ts'
import { SqliteBulk } from './sqlite-bulk.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { SqliteLog } from './sqlite-log.ts'
import { SqliteReader } from './sqlite-reader.ts'
import { SqliteWriter, type WriterOptions } from './sqlite-writer.ts'
import type { Tables } from './tables.ts'

export const BUSY_TIMEOUT_MS = 5000
const CACHE_MB = 32
/** SQLite maps no more. */
const MAPPED_BYTES = 2 ** 31 - 2 ** 16
/** Some milliseconds. */
const ROWS_AT_ONCE = 2000
/** How old the state may be that single rows are read from, as far as other processes are concerned. */
const SHARED_MS = 5

export type SqliteFile = {
  readonly path: string
  readonly reader: SqliteConnection
  readonly pointReader: SqliteConnection
  readonly writer: SqliteConnection
}

/** Opens or creates the file, readable by its owner alone. */
export function openSqliteFile(dataDir: string, cacheMb = CACHE_MB): SqliteFile {
  const file = path.join(dataDir, 'scriptward.db')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  const writer = openWriter(file)
  writer.database.exec('pragma temp_store = memory')
  const reader = openReader(file, CACHE_MB)
  return { path: file, reader, pointReader: openPointReader(file, cacheMb), writer }
}

/**
 * Its pages are the system's own, which it takes back when it needs them; the cache is for those of the log of changes
 * and for what lies behind the most that SQLite maps.
 */
function openPointReader(file: string, cacheMb: number): SqliteConnection {
  const reader = openReader(file, cacheMb)
  reader.database.exec(`pragma mmap_size = ${MAPPED_BYTES}`)
  return reader
}

/** Without a mapping of the file: what an export read would count as the process's memory for as long as it lives. */
function openReader(file: string, cacheMb: number): SqliteConnection {
  const reader = new SqliteConnection(new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }))
  reader.database.exec(`pragma query_only = on; pragma trusted_schema = off; pragma temp_store = memory;
    pragma cache_size = -${Math.round(cacheMb * 1024)}`)
  return reader
}

/** A connection that writes as every writer of the service does: durably, and held to the foreign keys. */
export function openWriter(file: string): SqliteConnection {
  const writer = new SqliteConnection(new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, defensive: true }))
  writer.database.exec('pragma journal_mode = wal')
  writer.database.exec(`pragma synchronous = full; pragma foreign_keys = on; pragma trusted_schema = off;
    pragma cache_size = -32768; pragma journal_size_limit = 67108864`)
  return writer
}

export type SqliteOptions = Pick<WriterOptions, 'isRefusal' | 'lull'>

/** The service's database on an opened and migrated file. */
export function sqliteDatabase(file: SqliteFile, { isRefusal, lull }: SqliteOptions): Database {
  const queries = queriesOf<Tables>(sqliteDialect)
  const reader = new SqliteReader(file.reader, 0)
  const pointReader = new SqliteReader(file.pointReader, SHARED_MS)
  const read: Queries = queries(reading(reader))
  const renew = () => {
    reader.renew()
    pointReader.renew()
  }
  const bulk = new SqliteBulk(file.path, queries, isRefusal)
  const log = new SqliteLog(file.path)
  const sync = () => log.sync()
  // From here on `sync` is what a commit waits for; with `full` SQLite would wait itself.
  file.writer.database.exec('pragma synchronous = normal')
  // Also before a change: the log of changes begins anew only while nobody reads from it.
  const turns = { onBegin: renew, onCommit: renew, sync, lull }
  const writer = new SqliteWriter(file.writer, { queries, isRefusal, ...turns })
  return {
    read,
    readPoint: queries(reading(pointReader)),
    unchanged: pointReader,
    transaction: (change, hurry) => writer.run(change, hurry),
    bulk: (change) =>
      writer.alone(() => {
        renew()
        return bulk.run(change).finally(renew)
      }),
    rowsAtOnce: ROWS_AT_ONCE,
    ping: async () => {
      await read.selectFrom('tiers').select('id').limit(1).execute()
    },
    load: () => ({ waiting: writer.waiting, connections: 3 }),
    close: async () => {
      await writer.close()
      await bulk.close()
      log.close()
      renew()
      file.reader.database.close()
      file.pointReader.database.close()
      file.writer.database.close()
    },
  }
}

/** The bare connection, for migrations. */
export const onWriter = (file: SqliteFile): Kysely<unknown> =>
  queriesOf<unknown>(sqliteDialect)(always(file.writer))

function reading(reader: SqliteReader): Connections {
  return { ...always(reader), singles: reader }
}

function always(connection: DatabaseConnection): Connections {
  return { provideConnection: (consumer) => consumer(connection) }
}
