/**
 * A file of secrets that only its owner may read. It is written durably and atomically, and rejected if
 * others could have read it.
 */
import { constants } from 'node:fs'
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises'
import path from 'node:path'

/** Returns the file's content, or undefined if the file doesn't exist. */
export async function readPrivate(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw new Error(
        `${file} cannot be read (${error.code}): make the user of this process its owner, with mode 0600`,
      )
    },
  )
  if (!handle) return undefined
  try {
    await refuseLooseMode(file, handle)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

async function refuseLooseMode(file: string, handle: FileHandle): Promise<void> {
  const { mode } = await handle.stat()
  // File modes on Windows are meaningless.
  if (process.platform === 'win32' || (mode & 0o077) === 0) return
  throw new Error(
    `${file} contains secrets, but other users can read it: run chmod 600 on it, and replace any secrets that may have leaked`,
  )
}

/**
 * Creates the file atomically. If several processes start at the same time, one creates the file and the
 * others read it.
 */
export async function makeOnce(
  file: string,
  random: (count: number) => Buffer,
  text: string,
): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${random(6).toString('hex')}.tmp`
  await writeDurably(draft, text)
  try {
    // Linking fails if the file exists, whereas renaming would overwrite keys that another process already
    // uses.
    await link(draft, file)
    await unlink(draft)
  } catch (error) {
    // EEXIST means that another process was first. Any other error means that this file system doesn't
    // support links.
    await ((error as NodeJS.ErrnoException).code === 'EEXIST' ? unlink(draft) : rename(draft, file))
  }
  await syncFolder(path.dirname(file))
  const made = await readPrivate(file)
  if (made === undefined) throw new Error(`${file} was removed while it was being created`)
  return made
}

/** Creates the file or replaces it atomically. */
export async function writePrivate(
  file: string,
  random: (count: number) => Buffer,
  text: string,
): Promise<void> {
  const draft = `${file}.${random(6).toString('hex')}.tmp`
  await writeDurably(draft, text)
  await rename(draft, file)
  await syncFolder(path.dirname(file))
}

/**
 * Atomically replaces the file's content with the result of `change`, and returns the new content. Returns
 * undefined if the file doesn't exist. If there are two concurrent changes, one is rejected, because it would
 * undo the other.
 */
export async function changePrivate(
  file: string,
  change: (text: string) => string,
): Promise<string | undefined> {
  const draft = `${file}.next`
  const handle = await open(draft, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error.code === 'EEXIST' ? new Error(underWay(file, draft)) : unwritable(file, error)
  })
  if (!handle) return undefined
  let changed: string | undefined
  try {
    changed = await writeChange(handle, file, change)
  } finally {
    await handle.close()
    await (changed === undefined ? unlink(draft) : rename(draft, file))
  }
  await syncFolder(path.dirname(file))
  return changed
}

async function writeChange(
  handle: FileHandle,
  file: string,
  change: (text: string) => string,
): Promise<string | undefined> {
  const text = await readPrivate(file)
  if (text === undefined) return undefined
  const changed = change(text)
  await handle.writeFile(changed)
  await handle.sync()
  return changed
}

function underWay(file: string, draft: string): string {
  return `another command is changing ${file}, or a change was interrupted: if no other command is running, delete ${draft} and try again`
}

function unwritable(file: string, { code }: NodeJS.ErrnoException): Error {
  return new Error(
    `${file} cannot be written (${code}): give the user of this process write access to its folder`,
  )
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(file, error)
  })
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows can't open a folder for syncing, and doesn't need to.
  if (process.platform === 'win32') return
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
