/** Reads the session cookie of a request and finds its user, for endpoints where signing in is optional. */

import type { Origin } from '../../../api/endpoint.ts'
import { Refused, refuse } from '../../../api/refusals.ts'
import type { Config } from '../../../config/config.ts'
import type { Deps } from '../../../deps.ts'
import { findCaller } from '../../access/callers.ts'
import { type Credential, isCsrfToken, SIGN_IN_COOKIE } from '../../access/credential.ts'
import { cookiePrefix, readCookies } from '../../public-pages/cookies.ts'
import type { SignedIn } from '../store/sign-ins.ts'

/**
 * Accepts a cookie only in requests from this server's own pages. Other sites can't know the token in the
 * header.
 */
export function cookieOf(
  config: Config,
  headers: Origin['headers'],
): Credential | Refused<'csrf_failed'> | undefined {
  const text = readCookies(String(headers.cookie ?? ''), cookiePrefix(config))[SIGN_IN_COOKIE]
  if (text === undefined) return undefined
  return isOwnPage(config, headers) && isCsrfToken(text, headers['x-scriptward-csrf'])
    ? { kind: 'cookie', text }
    : refuse('csrf_failed')
}

/**
 * Checks two headers that browsers set and page scripts can't. A proxy may pass on a `Host` different from
 * the one that the browser requested. In that case, only the base URL identifies the page's origin. Without a
 * base URL, only `Sec-Fetch-Site` decides.
 */
function isOwnPage({ baseUrl }: Config, headers: Origin['headers']): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') return false
  if (origin === undefined || (site !== undefined && baseUrl === undefined)) return true
  if (baseUrl !== undefined && origin === new URL(baseUrl).origin) return true
  return URL.parse(String(origin))?.host === String(host).toLowerCase()
}

/** Returns undefined if there is no cookie, or if its dashboard session has ended. */
export async function findOwnSignIn(
  deps: Deps,
  { headers, address }: Origin,
): Promise<SignedIn | Refused<'csrf_failed'> | undefined> {
  const credential = cookieOf(deps.config, headers)
  if (credential === undefined || credential instanceof Refused) return credential
  const found = await findCaller(deps, credential, address)
  return found instanceof Refused ? undefined : found.signedIn
}
