/**
 * Verifies that a request comes from Discord. Source: "Security and Authorization" in Discord's documentation
 * on interactions.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** The `X-Signature-Ed25519` header, in hexadecimal, and the `X-Signature-Timestamp` header, in seconds. */
export type Signature = { readonly hex: string; readonly timestamp: string }

/**
 * Maximum difference between a signature's time and the current time. Beyond it, even correct signatures are
 * rejected.
 */
const MAX_AGE_MS = 5 * 60_000
const KEY = /^[0-9a-f]{64}$/i
const SIGNATURE = /^[0-9a-f]{128}$/i
const TIMESTAMP = /^\d{1,12}$/
/** The DER encoding of an Ed25519 public key, up to the 32 bytes of the key itself (RFC 8410). */
const KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')

/** `hex` is an application's public key. Returns undefined if it isn't a valid key. */
export function readPublicKey(hex: string): KeyObject | undefined {
  if (!KEY.test(hex)) return undefined
  const key = Buffer.concat([KEY_PREFIX, Buffer.from(hex, 'hex')])
  return createPublicKey({ key, format: 'der', type: 'spki' })
}

/** Returns whether `key` signed these bytes, at most five minutes from `now`. */
export function isSigned(key: KeyObject, { hex, timestamp }: Signature, body: Buffer, now: number): boolean {
  if (!SIGNATURE.test(hex) || !TIMESTAMP.test(timestamp)) return false
  if (Math.abs(now - Number(timestamp) * 1000) > MAX_AGE_MS) return false
  return verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, Buffer.from(hex, 'hex'))
}
