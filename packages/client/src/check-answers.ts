/** Signs responses of `/check` (client protocol §19). The client side is in `check/`. */
import { type KeyObject, sign } from 'node:crypto'
import { toB64u } from './wire.ts'

/** Returns the signed bytes of a response: its text after a label, so that signatures for other purposes are not valid here. */
export function checkSignatureText(text: string): Buffer {
  return Buffer.from(`lp1 check\0${text}`)
}

/** The signature of an answer, 64 bytes in base64url. */
export function signCheck(ed25519: KeyObject, text: string): string {
  return toB64u(sign(null, checkSignatureText(text), ed25519))
}
