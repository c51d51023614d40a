/**
 * The service's chance: bytes of the machine's secure generator, drawn many at once. Asking it for a few costs a page as
 * much as reading its visitor, whatever their number is.
 */
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096
/** Whoever wants more than names and keys are long gets it from the generator itself. */
const LONGEST_POOLED = 64

/** A source of its own, with a pool of its own. */
export function makeRandom(): (count: number) => Buffer {
  const pool = Buffer.alloc(POOL_BYTES)
  let used = POOL_BYTES
  return (count) => {
    if (count > LONGEST_POOLED) return randomFillSync(Buffer.alloc(count))
    if (used + count > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = Buffer.from(pool.subarray(used, used + count))
    // Nothing that was handed out can be found here later.
    pool.fill(0, used, used + count)
    used += count
    return bytes
  }
}
