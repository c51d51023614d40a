/**
 * Restores a backup into an empty database. Everything is checked before anything is written, and any failure
 * leaves the database empty.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { type Ask, readContents, readSamples } from '../../../database/engine/contents.ts'
import {
  dropTables,
  onPostgres,
  postgresTables,
  queryWith,
  restorePostgres,
} from '../../../database/engine/postgres/programs.ts'
import { askSqlite, isDamage, refuseDamage, sqliteTables } from '../../../database/engine/sqlite/copy.ts'
import type { AgeKeys } from '../../../platform/secrets/age.ts'
import { putKeyring, refuseOtherKeyring } from '../../../platform/secrets/keyring.ts'
import { readArchive } from './archive.ts'
import { type Store, tryKeyring } from './make.ts'
import { BackupFault, type Manifest } from './manifest.ts'

export type Restoring = {
  readonly file: string
  readonly store: Store
  readonly keys: AgeKeys
  readonly signal: AbortSignal
}
type Checked = { readonly manifest: Manifest; readonly keyring: string; readonly database: string }

/** Throws a {@link BackupFault} whose message explains the fix. */
export async function restoreBackup(restoring: Restoring): Promise<Manifest> {
  const { file, store, keys, signal } = restoring
  await refuseFullStore(store)
  const draft = path.join(store.dataDir, '.restoring')
  // A killed restore may have left a draft.
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o700 })
  const database = path.join(draft, 'database')
  try {
    let keyring = ''
    const check = async (manifest: Manifest, text: string) => {
      refuseOtherEngine(manifest, store)
      await refuseOtherKeyring(store, text)
      keyring = text
    }
    const manifest = await readArchive(file, { keys, check, database, signal })
    await put(store, { manifest, keyring, database }, signal)
    return manifest
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * A killed server leaves its latest changes in the `-wal` file. SQLite would apply them to the restored
 * database, even if `scriptward.db` itself was removed.
 */
const FILES = ['scriptward.db', 'scriptward.db-wal', 'scriptward.db-journal']

async function refuseFullStore({ dataDir, databaseUrl }: Store): Promise<void> {
  if (databaseUrl === undefined) {
    const found = FILES.find((name) => existsSync(path.join(dataDir, name)))
    if (found === undefined) return
    const what = found === 'scriptward.db' ? 'a database' : `${found}, a part of another database`
    throw new BackupFault(`${dataDir} already contains ${what}: set SCRIPTWARD_DATA_DIR to an empty folder`)
  }
  const found = await onPostgres(databaseUrl, (client) => postgresTables(queryWith(client)))
  if (found.length > 0)
    throw new BackupFault(
      'the database already contains tables: create an empty one with createdb, and set SCRIPTWARD_DATABASE_URL to its URL',
    )
}

function refuseOtherEngine({ engine }: Manifest, { databaseUrl }: Store): void {
  if (engine === 'SQLite' && databaseUrl !== undefined)
    throw new BackupFault(
      'this is a backup of a SQLite database: restore it without SCRIPTWARD_DATABASE_URL, then run `scriptward move-to` with the URL of the PostgreSQL database',
    )
  if (engine === 'PostgreSQL' && databaseUrl === undefined)
    throw new BackupFault(
      'this is a backup of a PostgreSQL database: set SCRIPTWARD_DATABASE_URL to the URL of an empty PostgreSQL database',
    )
}

/** Writes the keyring first. If the restore is killed, the next one accepts this keyring. */
async function put(store: Store, checked: Checked, signal: AbortSignal): Promise<void> {
  const { databaseUrl } = store
  if (databaseUrl === undefined) await verifySqlite(checked)
  signal.throwIfAborted()
  const takeBack = await putKeyring(store, randomBytes, checked.keyring)
  try {
    if (databaseUrl === undefined) await putSqlite(store, checked)
    else await putPostgres(databaseUrl, checked, signal)
  } catch (error) {
    await takeBack()
    throw error
  }
}

async function verifySqlite(checked: Checked): Promise<void> {
  try {
    refuseDamage(checked.database)
    await askSqlite(checked.database, (ask) => verify(ask, checked))
  } catch (error) {
    if (!isDamage(error)) throw error
    throw new BackupFault(
      `the database in this backup is damaged (${error.message}): restore an older backup`,
      { cause: error },
    )
  }
}

async function putSqlite({ dataDir }: Store, { database }: Checked): Promise<void> {
  await rename(database, path.join(dataDir, 'scriptward.db'))
  const folder = await open(dataDir)
  await folder.sync().finally(() => folder.close())
}

/** The restore program commits its own transaction. If verification then fails, the tables are removed. */
async function putPostgres(url: string, checked: Checked, signal: AbortSignal): Promise<void> {
  await restorePostgres(url, { file: checked.database, signal })
  await onPostgres(url, async (client) => {
    try {
      await verify(queryWith(client), checked)
    } catch (error) {
      await dropTables(client)
      throw error
    }
  })
}

/** Verifies the number of rows in each table, and that the keyring decrypts a script's source and key. */
async function verify(ask: Ask, { manifest, keyring }: Checked): Promise<void> {
  const listTables = manifest.engine === 'SQLite' ? sqliteTables : postgresTables
  const contents = await readContents(ask, listTables)
  const { schema, counts } = contents
  const wrong = Object.entries(manifest.counts).filter(([table, count]) => counts[table] !== count)
  if (schema !== manifest.schema || wrong.length > 0)
    throw new BackupFault(
      `the database in this backup does not match its manifest (${wrong.map(([table]) => table).join(', ') || schema}): use another backup`,
    )
  tryKeyring(keyring, await readSamples(ask, contents))
}
