/** Waits until one of several files changes. */

import { existsSync, statSync, watch } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Editors often write a file in several steps. The delay lets them finish. */
const SETTLE_MS = 100

/**
 * Watches the parent folders, because editors replace files rather than change them.
 *
 * @param files may include missing files. Creating a missing file or its parent folder counts as a change.
 * @param since time in milliseconds. Files modified after this time count as changed.
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
    // Ignores modification times in the future, for example on a network share: they would look like constant
    // changes.
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

/** Returns the path, or its topmost parent folder that doesn't exist. */
function nearest(file: string): string {
  const folder = path.dirname(file)
  return existsSync(folder) ? file : nearest(folder)
}
