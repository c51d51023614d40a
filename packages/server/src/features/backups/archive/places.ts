/** Locations of backups: file names, the backups in a folder, and the record of the last backup. */
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { constants, type FileHandle, lstat, open, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { readPrivate, writePrivate } from '../../../platform/secrets/private-file.ts'

export type Backup = {
  readonly name: string
  readonly made_at: number
  readonly bytes: number
  readonly sealed: boolean
  /** The migration that the backup was made for. Null for all other backups. */
  readonly before_migration: string | null
}
/** The last backup that was made from this data folder. */
export type LastBackup = { readonly made_at: number; readonly place: string }

const NAME =
  /^scriptward-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z(?:-before-([\w-]+))?\.tar\.zst(\.age)?$/
const LAST = 'last-backup.json'
/** Maximum number of pre-migration backups. If startup keeps failing, each retry makes another one. */
const KEPT_BEFORE_MIGRATIONS = 3

/** `before` is the migration that follows the backup. */
export function nameOf(madeAt: number, isSealed: boolean, before?: string): string {
  const time = new Date(madeAt).toISOString().replaceAll(/[:.]/g, '-')
  const why = before === undefined ? '' : `-before-${before}`
  return `scriptward-${time}${why}${isSealed ? '.tar.zst.age' : '.tar.zst'}`
}

export function isFolder(place: string): boolean {
  return existsSync(place) && statSync(place).isDirectory()
}

/** Lists the backups in a folder, newest first. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = existsSync(folder) ? await readdir(folder) : []
  const found = names.map((name) => ({ name, match: NAME.exec(name) })).filter(({ match }) => match !== null)
  const backups = found.map(async ({ name, match }) => {
    // Another process may have removed the file after it was listed.
    const file = await stat(path.join(folder, name)).catch(() => undefined)
    const what = { sealed: match?.[7] !== undefined, before_migration: match?.[6] ?? null }
    return file === undefined ? [] : [{ name, made_at: timeOf(match ?? []), bytes: file.size, ...what }]
  })
  return (await Promise.all(backups)).flat().sort((a, b) => b.made_at - a.made_at)
}

/**
 * Returns the path of a complete backup in the folder. Returns undefined for any other name, including paths
 * and unfinished backups, and for links and folders.
 */
export async function findBackupFile(folder: string, name: string): Promise<string | undefined> {
  if (!NAME.test(name)) return undefined
  const file = path.resolve(folder, name)
  const found = await lstat(file).catch(() => undefined)
  return found?.isFile() ? file : undefined
}

export type OpenBackup = { readonly handle: FileHandle; readonly bytes: number }

/** An open backup can be read to the end even if it is removed in the meantime. */
export async function openBackupFile(folder: string, name: string): Promise<OpenBackup | undefined> {
  const file = await findBackupFile(folder, name)
  if (file === undefined) return undefined
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  return { handle, bytes: (await handle.stat()).size }
}

function timeOf([, day, hour, minute, second, rest]: readonly (string | undefined)[]): number {
  return Date.parse(`${day}T${hour}:${minute}:${second}.${rest}Z`)
}

/**
 * Keeps the latest `keep` regular backups and the three latest pre-migration backups in a folder, and removes
 * the others. Never removes `made`: if the clock used to be wrong, the backup that was just made may look
 * like the oldest. Other files stay untouched.
 */
export async function removeOldBackups(folder: string, keep: number, made: string): Promise<void> {
  const all = await listBackups(folder)
  const usual = all.filter((one) => one.before_migration === null)
  const before = all.filter((one) => one.before_migration !== null)
  const old = [...usual.slice(keep), ...before.slice(KEPT_BEFORE_MIGRATIONS)]
  for (const { name } of old) if (name !== made) await rm(path.join(folder, name), { force: true })
}

export async function noteLastBackup(dataDir: string, last: LastBackup): Promise<void> {
  await writePrivate(path.join(dataDir, LAST), randomBytes, `${JSON.stringify(last)}\n`)
}

/** `left` is the latest remaining backup after the one at `place` was removed. */
export async function forgetLastBackup(dataDir: string, place: string, left?: LastBackup): Promise<void> {
  if ((await findLastBackup(dataDir))?.place !== place) return
  if (left === undefined) await rm(path.join(dataDir, LAST), { force: true })
  else await noteLastBackup(dataDir, left)
}

/** Returns undefined if no backup was made from this data folder. */
export async function findLastBackup(dataDir: string): Promise<LastBackup | undefined> {
  const text = await readPrivate(path.join(dataDir, LAST)).catch(() => undefined)
  try {
    return text === undefined ? undefined : (JSON.parse(text) as LastBackup)
  } catch {
    return undefined
  }
}
