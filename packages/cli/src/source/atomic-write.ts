/** Files that are written whole or not at all. */

import { randomBytes } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

export type WholeFile = {
  /** Permissions of a file that only its owner may read: 0o600. Those of every new file unless given. */
  readonly mode?: number
  /** Makes the folders above it, which only their owner may look into. */
  readonly makeFolder?: boolean
}

/** Devices and pipes cannot be replaced, so they are written to as they are. */
export async function writeWhole(
  file: string,
  text: string,
  { mode, makeFolder }: WholeFile = {},
): Promise<void> {
  if (makeFolder) await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const found = await stat(file).catch(() => undefined)
  if (found && !found.isFile()) return writeFile(file, text).catch(named(file))
  await replace(found ? await realpath(file) : file, text, mode)
}

async function replace(file: string, text: string, mode: number | undefined): Promise<void> {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(4).toString('hex')}`)
  try {
    // The draft is no name that the caller knows.
    await writeDraft(draft, text, mode).catch(named(file))
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDraft(draft: string, text: string, mode: number | undefined): Promise<void> {
  const handle = await open(draft, 'wx', mode ?? 0o666)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Faults of writing name no file by themselves. */
const named = (file: string) => (error: unknown) => {
  throw Object.assign(error as Error, { path: file })
}
