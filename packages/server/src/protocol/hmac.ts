/**
 * HMAC-SHA-256 (RFC 2104) for short texts and a key that lives long. Node's own object for it costs more than both hashes
 * that it makes, and what it leaves for the garbage collector as much again.
 */
import { hash } from 'node:crypto'

export type Hmac = (text: string) => Buffer

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32

/** `key` of at most 64 bytes; texts are hashed as UTF-8. */
export function makeHmac(key: Uint8Array): Hmac {
  if (key.length > BLOCK_BYTES) throw new Error(`a key of ${key.length} bytes has to be hashed first`)
  const [inner, outer] = [padded(key, 0x36), padded(key, 0x5c)]
  return (text) => {
    const message = Buffer.allocUnsafe(BLOCK_BYTES + Buffer.byteLength(text))
    message.set(inner)
    message.write(text, BLOCK_BYTES)
    const outermost = Buffer.allocUnsafe(BLOCK_BYTES + DIGEST_BYTES)
    outermost.set(outer)
    outermost.write(hash('sha256', message, 'binary'), BLOCK_BYTES, 'latin1')
    return hash('sha256', outermost, 'buffer')
  }
}

function padded(key: Uint8Array, pad: number): Buffer {
  return Buffer.alloc(BLOCK_BYTES).map((_, index) => (key[index] ?? 0) ^ pad) as Buffer
}
