/**
 * Throttles long copies. After each chunk, a copy waits for the disk, then pauses for as long as the chunk
 * took. Otherwise, a concurrent commit would wait until everything that the copy has written so far is on
 * disk.
 */
import { fdatasyncSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

export const PIECE_BYTES = 1 << 21
/** On a slow disk, a chunk spends most of its time waiting, which does not slow down others. */
const MAX_REST_MS = 200

/** Returns a function that computes how many milliseconds to pause after each chunk. */
function restTimer(): () => number {
  let began = performance.now()
  return () => {
    const rest = Math.min(performance.now() - began, MAX_REST_MS)
    began = performance.now() + rest
    return rest
  }
}

/** Writes a new file that only its owner can read and that is durable when the promise resolves. */
export async function throttledWrite(
  content: AsyncIterable<Uint8Array>,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  const rest = restTimer()
  let size = 0
  try {
    for await (const part of content) {
      await handle.appendFile(part)
      size += part.length
      if (size < PIECE_BYTES) continue
      size = 0
      await handle.datasync()
      await wait(rest(), undefined, { signal })
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Blocks this thread, for copies that can't await a promise between chunks. */
export function pacedSync(descriptor: number): () => void {
  const rest = restTimer()
  const never = new Int32Array(new SharedArrayBuffer(4))
  return () => {
    fdatasyncSync(descriptor)
    Atomics.wait(never, 0, 0, rest())
  }
}
