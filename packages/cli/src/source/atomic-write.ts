/** Writes files atomically. */

import { randomBytes } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'

export type WholeFile = {
  /** File mode, such as 0o600 for a private file. Defaults to the standard mode for new files. */
  readonly mode?: number
  /** Creates missing parent folders, readable only by their owner. */
  readonly makeFolder?: boolean
}

/** Writes to devices and pipes directly, because they can't be replaced. */
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
    // Errors name the final file, because the caller doesn't know about the temporary file.
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

/** Node's write errors don't include the path. */
const named = (file: string) => (error: unknown) => {
  throw Object.assign(error as Error, { path: file })
}
