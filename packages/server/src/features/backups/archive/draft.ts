/** The folder in which a backup is assembled, and the disk space that the backup needs. */
import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { BackupFault } from './manifest.ts'

const DRAFT = '.scriptward-backup-'
const LEFT_MS = 3_600_000
/**
 * Space that a backup needs, relative to the database: a copy, and an archive of about a fifth of the copy's
 * size.
 */
const WITH_ARCHIVE = 1.25
const ROOM = 'Free up space, or choose another folder'
const SQLITE_FULL = 13

/**
 * Creates a folder next to the backup, so that the finished file can be hard-linked into place. Only the
 * folder's owner can read it.
 */
export async function openDraft(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = await mkdtemp(path.join(folder, DRAFT))
    await removeLeftDrafts(folder, draft).catch(() => {})
    return draft
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw (
      diskFault(error, folder) ??
      new BackupFault(
        `${folder} is not writable (${code}): give the user of this process write access, or choose another folder`,
      )
    )
  }
}

/**
 * Removes the drafts of killed processes. A process that is still making a backup writes to its draft
 * continuously, so its draft is always recent.
 */
async function removeLeftDrafts(folder: string, own: string): Promise<void> {
  const { mtimeMs: now } = await stat(own)
  const names = (await readdir(folder)).filter((name) => name.startsWith(DRAFT))
  for (const draft of names.map((name) => path.join(folder, name))) {
    if (now - (await lastWriteIn(draft)) > LEFT_MS) await rm(draft, { recursive: true, force: true })
  }
}

/** Returns Infinity if the draft no longer exists. */
async function lastWriteIn(draft: string): Promise<number> {
  const times = async () => {
    const files = (await readdir(draft)).map((name) => path.join(draft, name))
    return Promise.all([draft, ...files].map(async (place) => (await stat(place)).mtimeMs))
  }
  return Math.max(...(await times().catch(() => [Number.POSITIVE_INFINITY])))
}

/**
 * `database` is the SQLite file. Checks the free space first, because a full disk would stop the server too.
 * Throws a {@link BackupFault}.
 */
export async function refuseFullDisk(database: string, folder: string): Promise<void> {
  const sizes = await Promise.all([sizeOf(database), sizeOf(`${database}-wal`)])
  const needed = sizes.reduce((sum, size) => sum + size) * WITH_ARCHIVE
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize >= needed) return
  const found = `a backup needs ${megabytes(needed)}, but only ${megabytes(bavail * bsize)} are free`
  throw new BackupFault(`not enough space on the disk of ${folder}: ${found}. ${ROOM}`)
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`
}

/**
 * Recognizes a full disk in an error from Node.js or SQLite, or in a program's message. Returns undefined for
 * other errors.
 */
export function diskFault(error: unknown, folder: string): BackupFault | undefined {
  const { code = '', errcode = 0, message = '' } = error as Failure
  const isFull =
    ['ENOSPC', 'EDQUOT'].includes(code) ||
    (errcode & 0xff) === SQLITE_FULL ||
    /No space left on device|Disk quota exceeded/.test(message)
  return isFull ? new BackupFault(`the disk of ${folder} is full. ${ROOM}`) : undefined
}

type Failure = { readonly code?: string; readonly errcode?: number; readonly message?: string }
