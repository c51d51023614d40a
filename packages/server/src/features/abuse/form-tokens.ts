/**
 * CSRF tokens bind a form to the browser that it was rendered for. Another site can make that browser submit
 * a form, but it doesn't know the token. Nothing is stored, because a token is an HMAC of a random value in a
 * cookie.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** `cookie` is random, and known only to this browser. Returns 22 characters of base64url. */
export function formToken(key: KeyObject, cookie: string): string {
  return createHmac('sha256', key).update(`form\0${cookie}`).digest().toString('base64url', 0, 16)
}

export function isFormToken(key: KeyObject, cookie: string, given: string | undefined): boolean {
  const expected = Buffer.from(formToken(key, cookie))
  const sent = Buffer.from(given ?? '')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
