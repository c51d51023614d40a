/** Opens the configured database and migrates it to this version's schema. */
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { Database } from './db.ts'
import { isUnavailable } from './dialect.ts'
import { migrate } from './migrate.ts'
import { onWriter, sqliteDatabase } from './sqlite/database.ts'
import { BUSY_TIMEOUT_MS, openSqliteFile, type SqliteFile } from './sqlite/open.ts'
import type { OnStatement } from './trace.ts'

const MIGRATION_TIMEOUT_MS = 60_000
const POLL_MS = 20

export type OpenOptions = {
  /** Folder of the SQLite file. Unused if `databaseUrl` is set. */
  readonly dataDir: string
  /** `postgres://…` */
  readonly databaseUrl?: string | undefined
  /** Size of the SQLite readers' page cache, in MiB. */
  readonly cacheMb?: number
  /** Whether a transaction that returned this value must be rolled back. */
  readonly isRefusal: (value: unknown) => boolean
  /** Called after each statement except transaction control such as `begin` and `commit`. */
  readonly onStatement?: OnStatement | undefined
}

export async function openDatabase(options: OpenOptions): Promise<Database> {
  if (options.databaseUrl) {
    const { openPostgres } = await import('./postgres/database.ts')
    return openPostgres(options.databaseUrl, options)
  }
  const file = openSqliteFile(options.dataDir, options.cacheMb)
  try {
    await migrateAlone(file)
  } catch (error) {
    file.reader.database.close()
    file.writer.database.close()
    throw error
  }
  return sqliteDatabase(file, options)
}

/** Migrates in one transaction, so that two processes that start at the same time don't both migrate. */
async function migrateAlone(file: SqliteFile): Promise<void> {
  const { database } = file.writer
  await begin(database)
  try {
    await migrate(onWriter(file))
    database.exec('commit')
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    throw error
  }
}

/** Waits for another migration without blocking this process, because this process may be running it. */
async function begin(database: DatabaseSync): Promise<void> {
  database.exec('pragma busy_timeout = 0')
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    try {
      database.exec('begin immediate')
      break
    } catch (error) {
      if (!isUnavailable(error) || waitedMs >= MIGRATION_TIMEOUT_MS) throw error
    }
    await setTimeout(POLL_MS)
  }
  database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
}
