/** How answers of `/check` (client protocol §19) are signed. Who asks and believes them is in `check/`. */
import { type KeyObject, sign } from 'node:crypto'
import { toB64u } from './wire.ts'

/** What an answer is signed over: its text behind a label, so that no signature for another purpose passes for it. */
export function checkSignatureText(text: string): Buffer {
  return Buffer.from(`lp1 check\0${text}`)
}

/** The signature of an answer, 64 bytes in base64url. */
export function signCheck(ed25519: KeyObject, text: string): string {
  return toB64u(sign(null, checkSignatureText(text), ed25519))
}
