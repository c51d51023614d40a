/** Callers' credentials: their format, and what is stored for them. */
import { hash, timingSafeEqual } from 'node:crypto'

/** `token` is one of an account's tokens, and `cookie` is the value of a browser's cookie. */
export type Credential = { readonly kind: 'key' | 'token' | 'cookie'; readonly text: string }

/** Cookie name without the prefix that browsers enforce (`__Host-`). */
export const SIGN_IN_COOKIE = 'scriptward'
export const CSRF_COOKIE = 'scriptward-csrf'
/** Cookie that marks a browser in which someone has signed in before. */
export const BROWSER_COOKIE = 'scriptward-browser'

/** Returns the SHA-256 hash in hex. Every credential is random, so a slow hash is unnecessary. */
export function hashCredential(text: string): string {
  return hash('sha256', text, 'hex')
}

/**
 * The CSRF token that a page sends in addition to the session cookie: 43 characters of base64url, derived
 * from the cookie.
 */
export function csrfToken(cookie: string): string {
  return hash('sha256', `csrf\0${cookie}`, 'base64url')
}

/**
 * The value that a browser keeps after its session ends. It grants no access, and the session cookie cannot
 * be derived from it.
 */
export function browserToken(cookie: string): string {
  return hash('sha256', `browser\0${cookie}`, 'base64url')
}

export function isCsrfToken(cookie: string, given: string | string[] | undefined): boolean {
  const expected = Buffer.from(csrfToken(cookie))
  const sent = Buffer.from(typeof given === 'string' ? given : '')
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
