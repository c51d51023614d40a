/** Writes and parses page cookies. Their names depend on the URLs that visitors use to reach the pages. */
import type { Config } from '../../config/config.ts'

export type Cookie = {
  readonly name: string
  readonly value: string
  /** The lifetime in seconds. If omitted, the cookie ends with the browser session. 0 removes the cookie. */
  readonly seconds?: number
  /** Limits the cookie to pages below this path. Ignored if the name has the prefix. */
  readonly path?: string
  /** Whether page scripts can read the cookie. */
  readonly readable?: boolean
}
type Addresses = Pick<Config, 'baseUrl' | 'adsUrl'>

/**
 * Returns the prefix of all cookie names. If all pages use TLS, it is `__Host-`: no other host and no plain
 * HTTP response can set such a cookie. Browsers require TLS and the path `/` for this prefix.
 */
export function cookiePrefix({ baseUrl, adsUrl }: Addresses): string {
  const known = [baseUrl, adsUrl].filter((one) => one !== undefined)
  return known.length > 0 && known.every(isSecure) ? '__Host-' : ''
}

/** Returns the `Set-Cookie` value for pages at `address`. */
export function writeCookie(
  addresses: Addresses,
  address: string | undefined,
  { name, value, seconds, path = '/', readable = false }: Cookie,
): string {
  const prefix = cookiePrefix(addresses)
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`
  const access = readable ? '' : '; HttpOnly'
  const transport = isSecure(address) ? '; Secure' : ''
  const rules = `Path=${prefix === '' ? path : '/'}${access}; SameSite=Lax${transport}`
  return `${prefix}${name}=${value}; ${rules}${age}`
}

function isSecure(address = ''): boolean {
  return address.startsWith('https:')
}

/**
 * Parses cookies as in RFC 6265 and returns those with the prefix, keyed by the name without it. The first of
 * two cookies with the same name wins, because it has the longer path.
 */
export function readCookies(header: string | undefined, prefix: string): Readonly<Record<string, string>> {
  const cookies: Record<string, string> = Object.create(null)
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    if (name.startsWith(prefix) && name !== prefix)
      cookies[name.slice(prefix.length)] ??= pair.slice(at + 1).trim()
  }
  return cookies
}
