// HMAC-SHA-256 (RFC 2104), and what is derived by it, of short messages. Node's own object for it costs three times both
// hashes that it makes, and a key object before it as much as one of them; what both leave for the garbage collector costs
// as much again, so that messages are put together in one place.
import { hash } from 'node:crypto'

/** A key as both hashes take it: the block before the message, and the one before that hash. */
export type HmacKey = Buffer

/** The code of one text, as UTF-8, under a key that lives long. */
export type Hmac = (text: string) => Buffer

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const NOTHING = Buffer.alloc(0)

// One at a time: nothing here waits.
const INNER = Buffer.alloc(BLOCK_BYTES + 512)
const OUTER = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)
const COUNTER = Buffer.alloc(1)
/** The first so many bytes of INNER, by their number. */
const BEGINNINGS: Buffer[] = []

/** Of any length, as RFC 2104 has it. */
export function hmacKey(key: Uint8Array): HmacKey {
  const short = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key
  const blocks = Buffer.allocUnsafe(2 * BLOCK_BYTES)
    .fill(0x36, 0, BLOCK_BYTES)
    .fill(0x5c, BLOCK_BYTES)
  for (let i = 0; i < short.length; i += 1) {
    const byte = short[i] ?? 0
    blocks[i] = byte ^ 0x36
    blocks[BLOCK_BYTES + i] = byte ^ 0x5c
  }
  return blocks
}

/** The code of `parts`, one after the other. */
export function hmac(key: HmacKey, ...parts: readonly Uint8Array[]): Buffer {
  key.copy(OUTER, 0, BLOCK_BYTES)
  OUTER.write(hash('sha256', joined(key, parts), 'binary'), BLOCK_BYTES, 'latin1')
  return Buffer.from(hash('sha256', OUTER, 'binary'), 'latin1')
}

/** `key` as in `hmacKey`. */
export function makeHmac(key: Uint8Array): Hmac {
  const blocks = hmacKey(key)
  return (text) => hmac(blocks, Buffer.from(text))
}

/** HKDF-Expand with SHA-256 (RFC 5869 §2.3). */
export function expand(prk: Uint8Array, label: Uint8Array, sizeBytes: number): Buffer {
  const key = hmacKey(prk)
  const expanded = Buffer.allocUnsafe(Math.ceil(sizeBytes / 32) * 32)
  let previous: Buffer = NOTHING
  for (let at = 0; at < sizeBytes; at += 32) {
    COUNTER[0] = at / 32 + 1
    previous = hmac(key, previous, label, COUNTER)
    expanded.set(previous, at)
  }
  return expanded.subarray(0, sizeBytes)
}

function joined(key: HmacKey, parts: readonly Uint8Array[]): Buffer {
  let size = BLOCK_BYTES
  for (const { length } of parts) size += length
  const message = size > INNER.length ? Buffer.allocUnsafe(size) : beginningOf(size)
  key.copy(message, 0, 0, BLOCK_BYTES)
  let at = BLOCK_BYTES
  for (const part of parts) {
    message.set(part, at)
    at += part.length
  }
  return message
}

function beginningOf(size: number): Buffer {
  BEGINNINGS[size] ??= INNER.subarray(0, size)
  return BEGINNINGS[size]
}
