/**
 * Automatic and requested backups. Only one process makes a backup at a time. The single row of
 * `backup_state` identifies this process and contains the latest results.
 */
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { type Refused, refuse, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { BackupStopped } from './archive/backup-worker.ts'
import { findLast, type Last } from './archive/last.ts'
import {
  type Backup,
  findBackupFile,
  forgetLastBackup,
  listBackups,
  removeOldBackups,
} from './archive/places.ts'
import type { BackupFile } from './archive/thread.ts'
import {
  type BackupStateRow,
  claimBackup,
  findBackupState,
  forgetBackup,
  updateBackupState,
} from './store.ts'

/** How long a crashed process blocks the next attempt. */
const HELD_MS = 60_000
const RENEW_MS = 15_000
const HOLDER_BYTES = 9

type Backing = Pick<Deps, 'config' | 'unauditedDb' | 'now' | 'random' | 'backups' | 'log'>

/** Makes a backup if the last one is older than configured. Throws if it fails. */
export async function makeDueBackup(deps: Backing, everyMs: number): Promise<void> {
  const state = await findBackupState(deps.unauditedDb.read)
  if (nextAt(state, everyMs, deps.now()) <= deps.now()) await attempt(deps, everyMs)
}

/** Resolves when the backup is complete. Failures are logged with details. */
export async function makeBackupNow(
  deps: Backing,
): Promise<BackupFile | Refused<'backup_running' | 'backup_failed' | 'unavailable'>> {
  try {
    return (await attempt(deps)) ?? refuse('backup_running')
  } catch (error) {
    if (error instanceof BackupStopped) return refuse('unavailable', { retry_after: 1 })
    const { message, stack = message } = error as Error
    deps.log.warn({ error: stack }, 'a backup failed')
    return refuse('backup_failed', { why: message })
  }
}

/** Returns undefined if another attempt is running or the last backup is recent enough. */
async function attempt(deps: Backing, everyMs?: number): Promise<BackupFile | undefined> {
  const { unauditedDb, now, random } = deps
  const holder = random(HOLDER_BYTES).toString('base64url')
  const until = () => now() + HELD_MS
  const claim = { holder, now: now(), until: until(), everyMs }
  if (!(await unauditedDb.transaction((tx) => claimBackup(tx, claim)))) return undefined
  const change = (changes: Partial<BackupStateRow>) =>
    unauditedDb.transaction((tx) => updateBackupState(tx, holder, changes))
  const renewing = setInterval(() => void change({ held_until: until() }).catch(() => {}), RENEW_MS)
  try {
    const made = await make(deps)
    await change({ ...FREE, made_at: made.made_at, machine: hostname(), place: made.place })
    return made
  } catch (error) {
    const isStopped = error instanceof BackupStopped
    const failed = isStopped ? {} : { failed_at: now(), failure: (error as Error).message }
    // If the database is unreachable too, the claim expires.
    await change({ ...FREE, ...failed }).catch(() => {})
    throw error
  } finally {
    clearInterval(renewing)
  }
}

const FREE = { holder: null, held_until: 0 }

async function make({ config, backups, now }: Backing): Promise<BackupFile> {
  const { dataDir, keyringFile, databaseUrl, backup } = config
  const store = { dataDir, keyringFile, databaseUrl }
  const order = { store, seal: backup.seal, service: manifest.version, now: now() }
  const made = await backups.make(order, backup.dir)
  await removeOldBackups(backup.dir, backup.keep, made.name)
  return made
}

export const missingBackup = (name: string): Refused<'not_found'> =>
  refuseMissing(`Backup ${shownId(name)} does not exist on this machine`)

/** Removes a backup from this machine's folder. If it was the last one, the previous one becomes the last. */
export async function removeBackup(
  { config: { dataDir, backup }, db }: Pick<Deps, 'config' | 'db'>,
  name: string,
): Promise<Refused<'not_found' | 'backup_not_removed'> | undefined> {
  const file = await findBackupFile(backup.dir, name)
  if (file === undefined) return missingBackup(name)
  try {
    await rm(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT'
      ? missingBackup(name)
      : refuse('backup_not_removed', { why: `${file} (${code})` })
  }
  const [newest] = await listBackups(backup.dir)
  const left = newest && { made_at: newest.made_at, place: path.resolve(backup.dir, newest.name) }
  await db.transaction((tx) => forgetBackup(tx, { place: file, machine: hostname(), left }))
  await forgetLastBackup(dataDir, file, left)
  return undefined
}

/** When the next backup is due. Now or earlier means immediately. */
function nextAt(state: BackupStateRow | undefined, everyMs: number, now: number): number {
  const madeAt = state?.made_at ?? null
  // A time far in the future must have been recorded while the clock was wrong.
  return madeAt === null || madeAt >= now + everyMs ? now : madeAt + everyMs
}

/** When the last backup was made, automatically or by a command. 0 if there is none. */
export async function lastBackupAt({ config, db }: Pick<Deps, 'config' | 'db'>): Promise<number> {
  return (await findLast({ dataDir: config.dataDir, read: db.read }))?.made_at ?? 0
}

export type Backups = {
  readonly running: boolean
  readonly every: number | null
  readonly keep: number
  readonly folder: string
  /** Whether the next backup will be encrypted. */
  readonly sealed: boolean
  readonly next_at: number | null
  readonly last: Last | null
  readonly last_error_at: number | null
  readonly last_error: string | null
  /** Backups on this machine, newest first. */
  readonly backups: Backup[]
}

export async function describeBackups({
  config: { dataDir, backup },
  db: { read },
  now,
}: Pick<Deps, 'config' | 'db' | 'now'>): Promise<Backups> {
  const { everyMs, keep, dir: folder, seal } = backup
  const state = await findBackupState(read)
  return {
    running: (state?.held_until ?? 0) > now(),
    every: everyMs ?? null,
    keep,
    folder,
    sealed: seal !== undefined,
    next_at: everyMs === undefined ? null : nextAt(state, everyMs, now()),
    last: (await findLast({ dataDir, read })) ?? null,
    last_error_at: state?.failed_at ?? null,
    last_error: state?.failure ?? null,
    // If the folder is unreadable, the next attempt fails and reports the error.
    backups: await listBackups(folder).catch(() => []),
  }
}
