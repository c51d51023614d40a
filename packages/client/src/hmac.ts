// HMAC-SHA-256 (RFC 2104), and what is derived by it, of short messages under keys that are used a few times and thrown away. Node's own object for it
// costs three times both hashes that it makes, and a key object before it as much as one of them.
import { hash } from 'node:crypto'

/** A key as both hashes take it. */
export interface HmacKey {
  readonly inner: Buffer
  readonly outer: Buffer
}

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
const NOTHING = Buffer.alloc(0)

/** Of any length, as RFC 2104 has it. */
export function hmacKey(key: Uint8Array): HmacKey {
  const short = key.length > BLOCK_BYTES ? hash('sha256', key, 'buffer') : key
  return { inner: padded(short, 0x36), outer: padded(short, 0x5c) }
}

/** The code of `parts`, one after the other. */
export function hmac({ inner, outer }: HmacKey, ...parts: readonly Uint8Array[]): Buffer {
  const outermost = Buffer.allocUnsafe(BLOCK_BYTES + DIGEST_BYTES)
  outermost.set(outer)
  outermost.write(hash('sha256', joined(inner, parts), 'binary'), BLOCK_BYTES, 'latin1')
  return Buffer.from(hash('sha256', outermost, 'binary'), 'latin1')
}

/** HKDF-Expand with SHA-256 (RFC 5869 §2.3). */
export function expand(prk: Uint8Array, label: Uint8Array, sizeBytes: number): Buffer {
  const key = hmacKey(prk)
  const expanded = Buffer.allocUnsafe(Math.ceil(sizeBytes / 32) * 32)
  let previous: Buffer = NOTHING
  for (let at = 0; at < sizeBytes; at += 32) {
    previous = hmac(key, previous, label, Uint8Array.of(at / 32 + 1))
    expanded.set(previous, at)
  }
  return expanded.subarray(0, sizeBytes)
}

function joined(inner: Buffer, parts: readonly Uint8Array[]): Buffer {
  let size = BLOCK_BYTES
  for (const { length } of parts) size += length
  const message = Buffer.allocUnsafe(size)
  message.set(inner)
  let at = BLOCK_BYTES
  for (const part of parts) {
    message.set(part, at)
    at += part.length
  }
  return message
}

function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.allocUnsafe(BLOCK_BYTES).fill(pad)
  for (let i = 0; i < key.length; i += 1) block[i] = (key[i] ?? 0) ^ pad
  return block
}
