/**
 * CSRF tokens: another site can make a browser send a form, but cannot know the token in it. Not stored: a token is
 * derived from a random value in a cookie.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Hmac } from '@scriptward/client/hmac'

/** `cookie` is random and known to this browser only. Returns 22 characters of base64url. */
export function formToken(code: Hmac, cookie: string): string {
  return code(`form\0${cookie}`).toString('base64url', 0, 16)
}

export function isFormToken(code: Hmac, cookie: string, given: string | undefined): boolean {
  const expected = Buffer.from(formToken(code, cookie))
  const sent = Buffer.from(given ?? '')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
