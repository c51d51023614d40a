/**
 * Raw LZ4 blocks, as the client protocol sends them: without a frame, and without the length that the library
 * prepends, because the grant contains the length. `fenced-lz4.ts` packs blocks with fences.
 */
import { compressSync, uncompressSync } from 'lz4-napi'

const LENGTH_BYTES = 4
const MIN_MATCH = 4

export function pack(text: string): Uint8Array {
  return compressSync(text).subarray(LENGTH_BYTES)
}

/** `size` is the unpacked length in bytes. */
export function unpack(block: Uint8Array, size: number): string {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(size)
  return uncompressSync(Buffer.concat([length, block])).toString('utf8')
}

/** A range of literals in the unpacked content. In the block, they are `shift` bytes further on. */
export type LiteralRun = { readonly from: number; readonly to: number; readonly shift: number }

/** Yields the literal ranges of a block, in order. The matches are in between. */
export function* literalRuns(block: Uint8Array): Generator<LiteralRun> {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  let at = 0
  let from = 0
  const lengthOf = (nibble: number): number => {
    let total = nibble
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) more = bytes.readUInt8(at++)
    return total
  }
  while (at < bytes.length) {
    const token = bytes.readUInt8(at++)
    const to = from + lengthOf(token >> 4)
    yield { from, to, shift: at - from }
    at += to - from
    if (at >= bytes.length) return
    // Skips the match offset, which is not needed here.
    at += 2
    from = to + lengthOf(token & 15) + MIN_MATCH
  }
}
