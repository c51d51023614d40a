/**
 * Allows only one server per data folder, because a second one would keep its own sessions and limits in
 * memory. Uses an operating system lock on a small file, so that the lock is released however the process
 * ends.
 */
import { closeSync, existsSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type FolderLock = { release(): void }

const SQLITE_BUSY = 5
/** The doctor command briefly locks the file too. */
const PATIENCE_MS = 1000

export function folderLockFile(dataDir: string): string {
  return path.join(dataDir, 'service.lock')
}

/** Returns undefined if another server has locked the folder. Throws if the file can't be opened. */
export function lockFolder(dataDir: string): FolderLock | undefined {
  const file = folderLockFile(dataDir)
  // The file must never be opened twice, because closing it releases all locks that this process holds on it.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS })
  try {
    database.exec('begin exclusive')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

function isBusy(error: unknown): boolean {
  // The low byte is the primary code. The other bytes extend it.
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === SQLITE_BUSY
}
