/** Where backups lie: their names, which of a folder are the newest, and which was made last. */
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { readPrivate, writePrivate } from '../secrets/private-file.ts'

export type Backup = {
  readonly name: string
  readonly made_at: number
  readonly bytes: number
  readonly sealed: boolean
}
/** A backup that was made from this data folder. */
export type LastBackup = { readonly made_at: number; readonly place: string }

const NAME = /^scriptward-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.tar\.zst(\.age)?$/
const LAST = 'last-backup.json'

export function nameOf(madeAt: number, isSealed: boolean): string {
  const time = new Date(madeAt).toISOString().replaceAll(/[:.]/g, '-')
  return `scriptward-${time}${endOf(isSealed)}`
}

export function endOf(isSealed: boolean): string {
  return isSealed ? '.tar.zst.age' : '.tar.zst'
}

export function isFolder(place: string): boolean {
  return existsSync(place) && statSync(place).isDirectory()
}

/** The newest first. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = existsSync(folder) ? await readdir(folder) : []
  const found = names.map((name) => ({ name, match: NAME.exec(name) })).filter(({ match }) => match !== null)
  const backups = found.map(async ({ name, match }) => ({
    name,
    made_at: timeOf(match ?? []),
    bytes: (await stat(path.join(folder, name))).size,
    sealed: match?.[6] !== undefined,
  }))
  return (await Promise.all(backups)).sort((a, b) => b.made_at - a.made_at)
}

function timeOf([, day, hour, minute, second, rest]: readonly (string | undefined)[]): number {
  return Date.parse(`${day}T${hour}:${minute}:${second}.${rest}Z`)
}

/** Removes all of a folder but the newest `keep`. Files with other names are left alone. */
export async function removeOldBackups(folder: string, keep: number): Promise<void> {
  for (const { name } of (await listBackups(folder)).slice(keep)) await rm(path.join(folder, name))
}

export async function noteLastBackup(dataDir: string, last: LastBackup): Promise<void> {
  await writePrivate(path.join(dataDir, LAST), randomBytes, `${JSON.stringify(last)}\n`)
}

/** Undefined when none was made from this data folder. */
export async function findLastBackup(dataDir: string): Promise<LastBackup | undefined> {
  const text = await readPrivate(path.join(dataDir, LAST)).catch(() => undefined)
  try {
    return text === undefined ? undefined : (JSON.parse(text) as LastBackup)
  } catch {
    return undefined
  }
}
