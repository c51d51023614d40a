/** Waits until one of some files changes. */

import { watch } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** Editors write a file in several steps. */
const SETTLE_MS = 100

/** Their folders are watched, because editors replace files rather than change them. */
export async function untilChanged(files: readonly string[], signal: AbortSignal): Promise<void> {
  const wanted = new Set(files.map((file) => path.resolve(file)))
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
    await changed
    await wait(SETTLE_MS, undefined, { signal })
  } finally {
    done.abort()
  }
}
