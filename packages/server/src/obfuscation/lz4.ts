/**
 * Raw LZ4 blocks, as the client protocol sends them: without frame and without the length that the library writes
 * in front, since the length travels in the grant.
 */
import { compressSync, uncompressSync } from 'lz4-napi'

const LENGTH_BYTES = 4

export function pack(text: string): Uint8Array {
  return compressSync(text).subarray(LENGTH_BYTES)
}

/** `size` is the length of the text in bytes before it was packed. */
export function unpack(block: Uint8Array, size: number): string {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(size)
  return uncompressSync(Buffer.concat([length, block])).toString('utf8')
}
