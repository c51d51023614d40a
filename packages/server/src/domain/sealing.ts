/**
 * Encryption at rest for what a copy of the database must not reveal: authors' sources, secrets of ad providers, keys of
 * running clients. Each text is bound to the noun that it belongs to, so that rows cannot be swapped.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const TAG_BYTES = 16
/** How much chance `sealText` needs each time. */
export const SEAL_NONCE_BYTES = 12

export type SealKey = Buffer | KeyObject

/** Nonce, ciphertext, tag. */
export function sealText(key: SealKey, owner: string, text: string, nonce: Buffer): Buffer {
  return sealBytes(key, owner, Buffer.from(text), nonce)
}

export function sealBytes(key: SealKey, owner: string, bytes: Uint8Array, nonce: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, keyObject(key), nonce).setAAD(Buffer.from(owner))
  const sealed = [nonce, cipher.update(bytes), cipher.final()]
  return Buffer.concat([...sealed, cipher.getAuthTag()])
}

/** Throws when the bytes were not sealed with this key for this noun. */
export function openText(key: SealKey, owner: string, sealed: Uint8Array): string {
  return openBytes(key, owner, sealed).toString('utf8')
}

/** As `openText`. */
export function openBytes(key: SealKey, owner: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed)
  const nonce = bytes.subarray(0, SEAL_NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, keyObject(key), nonce).setAAD(Buffer.from(owner))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const opened = decipher.update(bytes.subarray(SEAL_NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([opened, decipher.final()])
}

/** Handed over as bytes, a key costs the cipher more than the text does. */
function keyObject(key: SealKey): KeyObject {
  return Buffer.isBuffer(key) ? createSecretKey(key) : key
}
