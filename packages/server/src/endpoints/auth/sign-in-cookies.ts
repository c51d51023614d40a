/** The cookies of a sign-in: one that no script can read, and its readable twin, which pages send back in a header. */
import type { Config } from '../../config.ts'
import { SIGN_IN_MAX_MS } from '../../domain/access/callers.ts'
import { CSRF_COOKIE, csrfToken, SIGN_IN_COOKIE } from '../../domain/access/credential.ts'
import { writeCookie } from '../pages/cookies.ts'

/** `Set-Cookie` lines for a new sign-in. */
export function signInCookies(config: Config, value: string): string[] {
  return cookiesOf(config, { value, csrf: csrfToken(value), seconds: SIGN_IN_MAX_MS / 1000 })
}

/** `Set-Cookie` lines that remove both. */
export function endedCookies(config: Config): string[] {
  return cookiesOf(config, { value: '', csrf: '', seconds: 0 })
}

function cookiesOf(
  config: Config,
  { value, csrf, seconds }: { readonly value: string; readonly csrf: string; readonly seconds: number },
): string[] {
  const own = { name: SIGN_IN_COOKIE, value, seconds }
  const twin = { name: CSRF_COOKIE, value: csrf, seconds, readable: true }
  return [own, twin].map((cookie) => writeCookie(config, config.baseUrl, cookie))
}
