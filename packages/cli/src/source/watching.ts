/** Waits until one of some files changes. */

import { existsSync, statSync, watch } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Editors write a file in several steps. */
const SETTLE_MS = 100

/**
 * Their folders are watched, because editors replace files rather than change them.
 *
 * @param files some may not be there: making one is a change, and so is making the folder that it would be in.
 * @param since milliseconds; what was changed after this time has changed.
 */
export async function untilChanged(
  files: Iterable<string>,
  since: number,
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Set(Array.from(files, (file) => nearest(path.resolve(file))))
  const folders = new Set([...wanted].map((file) => path.dirname(file)))
  const done = new AbortController()
  const changed = new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: done.signal })
    for (const folder of folders)
      watch(folder, { signal: done.signal }, (_, name) => {
        if (name !== null && wanted.has(path.join(folder, name))) resolve()
      }).on('error', reject)
  })
  try {
    signal.throwIfAborted()
    // A file of the future, as on a disk of another machine, would seem new for ever.
    const isNew = (time: number) => time > since && time <= Date.now()
    if (![...wanted].some((file) => isNew(changedAt(file)))) await changed
    await wait(SETTLE_MS, undefined, { signal })
  } finally {
    done.abort()
  }
}

function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** The path itself, or the highest folder above it that is not there. */
function nearest(file: string): string {
  const folder = path.dirname(file)
  return existsSync(folder) ? file : nearest(folder)
}
