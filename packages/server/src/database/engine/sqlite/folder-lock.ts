/**
 * One service at a time on a data folder: sessions and limits of a second one would be in another memory. The lock is one
 * of the operating system on a small file, so it ends with its process, however that ends.
 */
import { closeSync, existsSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type FolderLock = { release(): void }

const SQLITE_BUSY = 5
/** The doctor locks the file for a moment too. */
const PATIENCE_MS = 1000

export function folderLockFile(dataDir: string): string {
  return path.join(dataDir, 'service.lock')
}

/** Undefined when another service has locked the folder. Throws when the file cannot be opened. */
export function lockFolder(dataDir: string): FolderLock | undefined {
  const file = folderLockFile(dataDir)
  // Never opened twice: to close a file ends all locks that this process has on it.
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
  // The lower byte; the others say more.
  return (((error as { errcode?: number }).errcode ?? 0) & 0xff) === SQLITE_BUSY
}
