/**
 * Long copies that leave room for others: after each piece a copy waits for the disk, and then rests as long as the piece
 * took. Without it a commit beside the copy waits until all that the copy has written meanwhile is on the disk.
 */
import { fdatasyncSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

export const PIECE_BYTES = 1 << 21
/** On a slow disk most of a piece is waiting, which costs others nothing. */
const MAX_REST_MS = 200

/** Tells after each piece how many milliseconds to rest. */
function restTimer(): () => number {
  let began = performance.now()
  return () => {
    const rest = Math.min(performance.now() - began, MAX_REST_MS)
    began = performance.now() + rest
    return rest
  }
}

/** Writes a new file, readable by its owner alone and durable at the end. */
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

/** For a copy that cannot wait for a promise between its pieces: blocks this thread. */
export function pacedSync(descriptor: number): () => void {
  const rest = restTimer()
  const never = new Int32Array(new SharedArrayBuffer(4))
  return () => {
    fdatasyncSync(descriptor)
    Atomics.wait(never, 0, 0, rest())
  }
}
