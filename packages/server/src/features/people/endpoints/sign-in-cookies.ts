/**
 * A session's cookies: one that scripts can't read, a readable one whose token pages send back in a header,
 * and one that outlives the session and marks this browser as known.
 */
import type { Config } from '../../../config/config.ts'
import { KNOWN_BROWSER_MS, SIGN_IN_MAX_MS } from '../../access/callers.ts'
import {
  BROWSER_COOKIE,
  browserToken,
  CSRF_COOKIE,
  csrfToken,
  SIGN_IN_COOKIE,
} from '../../access/credential.ts'
import { type Cookie, writeCookie } from '../../public-pages/cookies.ts'

/** Returns the `Set-Cookie` lines for a new session. */
export function signInCookies(config: Config, value: string): string[] {
  const known = { name: BROWSER_COOKIE, value: browserToken(value), seconds: KNOWN_BROWSER_MS / 1000 }
  const own = pair({ value, csrf: csrfToken(value), seconds: SIGN_IN_MAX_MS / 1000 })
  return written(config, [...own, known])
}

/** Returns the `Set-Cookie` lines that remove the session's first two cookies. */
export function endedCookies(config: Config): string[] {
  return written(config, pair({ value: '', csrf: '', seconds: 0 }))
}

function pair({
  value,
  csrf,
  seconds,
}: {
  readonly value: string
  readonly csrf: string
  readonly seconds: number
}): Cookie[] {
  return [
    { name: SIGN_IN_COOKIE, value, seconds },
    { name: CSRF_COOKIE, value: csrf, seconds, readable: true },
  ]
}

function written(config: Config, cookies: readonly Cookie[]): string[] {
  return cookies.map((cookie) => writeCookie(config, config.baseUrl, cookie))
}
