/** Checks and backs up a non-empty database before startup migrates its schema. */

import { existsSync } from 'node:fs'
import path from 'node:path'
import { waitingMigrations } from '../../../database/engine/contents.ts'
import { onPostgres, postgresTables, queryWith } from '../../../database/engine/postgres/programs.ts'
import { askSqlite, sqliteTables } from '../../../database/engine/sqlite/copy.ts'
import { makeBackup, type Order, type Store } from './make.ts'
import { BackupFault } from './manifest.ts'
import { removeOldBackups } from './places.ts'

/**
 * Lists the migrations that opening this database would run. Empty for a new database. Throws the database's
 * errors.
 */
export async function findWaitingMigrations({
  dataDir,
  databaseUrl,
}: Omit<Store, 'keyringFile'>): Promise<string[]> {
  if (databaseUrl !== undefined)
    return onPostgres(databaseUrl, (client) => waitingMigrations(queryWith(client), postgresTables))
  const file = path.join(dataDir, 'scriptward.db')
  return existsSync(file) ? askSqlite(file, (ask) => waitingMigrations(ask, sqliteTables)) : []
}

/**
 * Backs up a SQLite database and returns the path of the backup. Throws a {@link BackupFault} whose message
 * explains the fix.
 */
export async function backUpBefore(migration: string, order: Order, folder: string): Promise<string> {
  const target = { folder, before: migration }
  try {
    const { place } = await makeBackup(order, target, new AbortController().signal)
    await removeOldBackups(folder, Number.POSITIVE_INFINITY, path.basename(place))
    return place
  } catch (error) {
    const { message } = error as Error
    throw new BackupFault(
      `SCRIPTWARD_BACKUP_DIR: this version migrates the database schema (${migration}), but the backup before the migration failed: ${message}`,
      { cause: error },
    )
  }
}
