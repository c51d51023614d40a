/**
 * SQLite: a read-only connection, so that readers never see uncommitted data, and a writing connection behind
 * the queue of `writer.ts`. Bulk changes use a separate thread.
 */
import { stat } from 'node:fs/promises'
import type { Kysely } from 'kysely'
import type { Tables } from '../../schema/tables.ts'
import type { Database } from '../db.ts'
import { always, queriesOf, sqliteDialect } from '../queries.ts'
import { type OnStatement, tracedQueries } from '../trace.ts'
import { SqliteBulk } from './bulk.ts'
import type { SqliteFile } from './open.ts'
import { SqliteReader } from './reader.ts'
import { SqliteWal } from './wal.ts'
import { SqliteWriter, type WriterOptions } from './writer.ts'

/** Scanning this many rows takes a few milliseconds. */
const ROWS_AT_ONCE = 2000

export type SqliteOptions = Pick<WriterOptions, 'isRefusal'> & {
  readonly onStatement?: OnStatement | undefined
}

/** Wraps an opened and migrated file as the server's database. */
export function sqliteDatabase(file: SqliteFile, { isRefusal, onStatement }: SqliteOptions): Database {
  const queries = tracedQueries(queriesOf<Tables>(sqliteDialect), onStatement)
  const reader = new SqliteReader(file.reader)
  const read = queries(always(reader))
  const bulk = new SqliteBulk(file.path, queries, isRefusal)
  const wal = new SqliteWal(file.path)
  // From here on, commits wait for `wal.sync`. With `full`, SQLite would sync inside the commit.
  file.writer.database.exec('pragma synchronous = normal')
  const endSnapshot = () => reader.endSnapshot()
  // A write also ends the snapshot, because SQLite can restart the WAL only if no reader is using it.
  const hooks = { onBegin: endSnapshot, onCommit: endSnapshot, sync: () => wal.sync() }
  const writer = new SqliteWriter(file.writer, { queries, isRefusal, ...hooks })
  return {
    read,
    readPoint: read,
    cache: reader,
    transaction: (change) => writer.run(change),
    bulk: (change) =>
      writer.runExclusive(() => {
        endSnapshot()
        return bulk.run(change).finally(endSnapshot)
      }),
    rowsAtOnce: ROWS_AT_ONCE,
    ping: async () => {
      await read.selectFrom('tiers').select('id').limit(1).execute()
    },
    load: () => ({ waiting: writer.waiting, connections: 2 }),
    size: async () => (await bytesOf(file.path)) + (await bytesOf(`${file.path}-wal`).catch(() => 0)),
    close: async () => {
      await writer.close()
      await bulk.close()
      wal.close()
      endSnapshot()
      file.reader.database.close()
      file.writer.database.close()
    },
  }
}

async function bytesOf(file: string): Promise<number> {
  return (await stat(file)).size
}

/** The unwrapped connection, for migrations. */
export const onWriter = (file: SqliteFile): Kysely<unknown> =>
  queriesOf<unknown>(sqliteDialect)(always(file.writer))
