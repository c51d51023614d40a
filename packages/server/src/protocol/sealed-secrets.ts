/** Secrets that rest in Valkey, sealed for the processes that share one keyring. */
import { createCipheriv, createDecipheriv } from 'node:crypto'

/** How much chance `sealSecret` needs each time. */
export const SECRET_NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

export function sealSecret(key: Buffer, secret: Buffer, nonce: Buffer): string {
  const cipher = createCipheriv(CIPHER, key, nonce)
  const sealed = [nonce, cipher.update(secret), cipher.final()]
  return Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url')
}

/** Throws when it was sealed with another key: then the processes do not share one keyring. */
export function openSecret(key: Buffer, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, SECRET_NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(SECRET_NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}
