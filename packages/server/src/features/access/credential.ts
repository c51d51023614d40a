/** Credentials of callers: how they look, and what is stored of them. */
import { hash, timingSafeEqual } from 'node:crypto'

/** `token` is one of an account's tokens, `cookie` the value of a browser's cookie. */
export type Credential = { readonly kind: 'key' | 'token' | 'cookie'; readonly text: string }

/** Without the prefix that browsers check. */
export const SIGN_IN_COOKIE = 'scriptward'
export const CSRF_COOKIE = 'scriptward-csrf'
/** By which a browser is known in which a person signed in before. */
export const BROWSER_COOKIE = 'scriptward-browser'

/** SHA-256 in hex is enough, because every credential is random. */
export function hashCredential(text: string): string {
  return hash('sha256', text, 'hex')
}

/** What a page has to send beside the cookie of a sign-in: 43 characters of base64url that derive from it. */
export function csrfToken(cookie: string): string {
  return hash('sha256', `csrf\0${cookie}`, 'base64url')
}

/** What a browser keeps after a sign-in has ended: it opens nothing, and the cookie cannot be made of it. */
export function browserToken(cookie: string): string {
  return hash('sha256', `browser\0${cookie}`, 'base64url')
}

export function isCsrfToken(cookie: string, given: string | string[] | undefined): boolean {
  const expected = Buffer.from(csrfToken(cookie))
  const sent = Buffer.from(typeof given === 'string' ? given : '')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
