/** How cookies of pages are named, written and read, by the addresses under which visitors reach the pages. */
import type { Config } from '../../config/config.ts'

export type Cookie = {
  readonly name: string
  readonly value: string
  /** Ends with the browser unless given; 0 removes the cookie. */
  readonly seconds?: number
  /** Of the pages that get it; all, unless given or where the name has the prefix. */
  readonly path?: string
  /** Whether scripts of the page may read it. */
  readonly readable?: boolean
}
type Addresses = Pick<Config, 'baseUrl' | 'adsUrl'>

/**
 * What names of cookies begin with. No other host and no plain HTTP can set a cookie with this prefix; browsers demand TLS
 * and the path `/` for it.
 */
export function cookiePrefix({ baseUrl, adsUrl }: Addresses): string {
  const known = [baseUrl, adsUrl].filter((one) => one !== undefined)
  return known.length > 0 && known.every(isSecure) ? '__Host-' : ''
}

/** A `Set-Cookie` for pages at `address`. */
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

/** Cookies as in RFC 6265 whose names have the prefix, without it; of two with one name the first, which has the longer path. */
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
