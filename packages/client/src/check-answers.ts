/** Signs the results of key checks (client protocol). The client side is in `check/` and `lua/`. */
import { type KeyObject, sign } from 'node:crypto'
import { toB64u } from './wire.ts'

/**
 * Returns the bytes that a response's signature covers: a label and the text. Because of the label,
 * signatures for other purposes are not valid here.
 */
export function checkSignatureText(text: string): Buffer {
  return Buffer.from(`lp1 check\0${text}`)
}

/** Returns the signature of an answer, 64 bytes in base64url. */
export function signCheck(ed25519: KeyObject, text: string): string {
  return toB64u(sign(null, checkSignatureText(text), ed25519))
}

/**
 * Adds `sig` as the last field of an answer, for hosts that can't read headers. As in boot records, the
 * signature covers the label and the JSON without `sig`.
 */
export function signLibraryAnswer(ed25519: KeyObject, answer: object): string {
  const text = JSON.stringify(answer)
  const sig = toB64u(sign(null, Buffer.from(`lp1 library\0${text}`), ed25519))
  return `${text.slice(0, -1)},"sig":"${sig}"}`
}
