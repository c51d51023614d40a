/**
 * Makes a backup of a database, whether the server is running or not. The database and keyring go into one
 * file, which gets its final name only after verification.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Writable } from 'node:stream'
import {
  type Ask,
  type Contents,
  type ListTables,
  readContents,
  readSamples,
  type Samples,
} from '../../../database/engine/contents.ts'
import { dumpPostgres, postgresTables } from '../../../database/engine/postgres/programs.ts'
import {
  askSqlite,
  copySqlite,
  isDamage,
  refuseDamage,
  sqliteTables,
} from '../../../database/engine/sqlite/copy.ts'
import { throttledWrite } from '../../../database/engine/throttled-write.ts'
import type { AgeSeal } from '../../../platform/secrets/age.ts'
import { type KeyringPlace, readKeyring, sealerOf } from '../../../platform/secrets/keyring.ts'
import { markOf, markOfFile, writeArchive } from './archive.ts'
import { diskFault, openDraft, refuseFullDisk } from './draft.ts'
import { BackupFault, FORMAT, type Manifest } from './manifest.ts'
import { nameOf, noteLastBackup } from './places.ts'

export type Store = KeyringPlace & { readonly databaseUrl: string | undefined }

export type Order = {
  readonly store: Store
  /** Undefined for an unencrypted backup. */
  readonly seal: AgeSeal | undefined
  /** Version of this server. */
  readonly service: string
  readonly now: number
}
/**
 * In a folder, the file name contains the time and, if set, `before`: the migration that follows the backup.
 */
export type Target =
  | { readonly file: string }
  | { readonly folder: string; readonly before?: string }
  | { readonly stream: Writable }

export type Made = { readonly place: string; readonly manifest: Manifest }

/**
 * Throws a {@link BackupFault} whose message explains the fix, or a file system error. Removes everything
 * that it wrote.
 */
export async function makeBackup(order: Order, target: Target, signal: AbortSignal): Promise<Made> {
  const place = placeOf(order, target)
  if (place !== undefined && existsSync(place))
    throw new BackupFault(`${place} already exists: choose another name`)
  const folder = place === undefined ? order.store.dataDir : path.dirname(place)
  const draft = await openDraft(folder)
  try {
    const { manifest, keyring } = await collect(order, path.join(draft, 'database'), signal)
    const parts = { manifest, keyring, database: path.join(draft, 'database') }
    const options = { seal: order.seal, signal }
    if ('stream' in target)
      await writeArchive(parts, target.stream, options).catch((error: unknown) => {
        throw outputFault(error) ?? error
      })
    else {
      const archive = path.join(draft, 'archive')
      await writeArchive(parts, (content) => throttledWrite(content, archive, signal), options)
      await giveName(archive, place ?? '')
    }
    // The backup is complete, even if a full disk prevents this note from being written.
    await noteLastBackup(order.store.dataDir, {
      made_at: order.now,
      place: place ?? 'standard output',
    }).catch(() => {})
    return { place: place ?? '-', manifest }
  } catch (error) {
    throw diskFault(error, folder) ?? error
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

function placeOf({ now, seal }: Order, target: Target): string | undefined {
  if ('stream' in target) return undefined
  if ('file' in target) return path.resolve(target.file)
  const at = (time: number) => path.resolve(target.folder, nameOf(time, seal !== undefined, target.before))
  let time = now
  // If another backup was made in the same millisecond, this one gets a later time in its name.
  while (existsSync(at(time))) time += 1
  return at(time)
}

async function collect(order: Order, database: string, signal: AbortSignal) {
  const { store, service, now } = order
  const { samples, ...contents } = await copyDatabase(store, database, signal)
  // The keyring is read after the database. The keyring retains previous data keys, so it can decrypt
  // everything that was written earlier.
  const keyring = await readKeyring(store)
  tryKeyring(keyring, samples)
  const manifest: Manifest = {
    format: FORMAT,
    engine: store.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL',
    service,
    made_at: now,
    ...contents,
    keyring: markOf(keyring),
    database: await markOfFile(database),
  }
  return { manifest, keyring }
}

type Found = Contents & { readonly samples: Samples }

async function copyDatabase(
  { dataDir, databaseUrl: url }: Store,
  file: string,
  signal: AbortSignal,
): Promise<Found> {
  if (url !== undefined) return dumpPostgres({ url, file, signal }, (ask) => look(ask, postgresTables))
  const source = path.join(dataDir, 'scriptward.db')
  if (!existsSync(source)) throw new BackupFault(`no database in ${dataDir}: check SCRIPTWARD_DATA_DIR`)
  await refuseFullDisk(source, path.dirname(file))
  try {
    await copySqlite(source, file, signal)
    refuseDamage(file)
    return await askSqlite(file, (ask) => look(ask, sqliteTables))
  } catch (error) {
    throw isDamage(error) ? new BackupFault(DAMAGED(source, error.message), { cause: error }) : error
  }
}

const DAMAGED = (file: string, found: string) =>
  `${file} is damaged (${found}). No new backup was made, and existing backups were kept: stop the server and restore the latest backup into an empty folder`

async function look(ask: Ask, listTables: ListTables): Promise<Found> {
  const contents = await readContents(ask, listTables)
  return { ...contents, samples: await readSamples(ask, contents) }
}

/** Throws if the keyring can't decrypt the database's content. */
export function tryKeyring(keyring: string, { source, key }: Samples): void {
  const sealer = sealerOf(keyring, randomBytes)
  try {
    if (source !== undefined) sealer.open('source', source.scriptId, source.sealed)
    if (key !== undefined) sealer.open('serviceKey', key.scriptId, key.sealed)
  } catch (error) {
    throw new BackupFault('the keyring does not belong to this database: it cannot decrypt the content', {
      cause: error,
    })
  }
}

/** Without these words, the errors would seem to be about the data folder. */
function outputFault(error: unknown): BackupFault | undefined {
  const { code = '' } = error as NodeJS.ErrnoException
  if (code === 'EPIPE')
    return new BackupFault('the program that reads the backup stopped before the backup was complete')
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return isFull ? new BackupFault('the disk that standard output is written to is full') : undefined
}

async function giveName(draft: string, place: string): Promise<void> {
  // Unlike a rename, a link doesn't overwrite a file that another command has just created. It fails instead.
  await link(draft, place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw new BackupFault(`${place} already exists: choose another name`)
    return rename(draft, place)
  })
  const folder = await open(path.dirname(place))
  await folder.sync().finally(() => folder.close())
}
