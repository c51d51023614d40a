/**
 * Who a visitor is: the secret in his cookie, and whether the browser and the network that come with it are those that
 * it was given to. Also how the address that a provider saw is compared with his.
 */
import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Deps } from '../deps.ts'
import { expandIPv6 } from '../limits/networks.ts'
import { type AdVisitorRow, findAdVisitor } from '../store/ad-visitors.ts'
import type { Headers } from './device.ts'

/** What a request shows of its visitor. */
export type Presence = {
  /** The secret of the cookie; undefined without one, and with one of another form. */
  readonly cookie: string | undefined
  readonly address: string
  /** The /24 or /48 of the address. */
  readonly network: string
  /** Digest of what the browser says of itself. */
  readonly browser: string
}

export const COOKIE_BYTES = 32
const COOKIE_FORM = /^[A-Za-z0-9_-]{43}$/
const BROWSER_HEADERS = [
  'user-agent',
  'accept-language',
  'sec-ch-ua',
  'sec-ch-ua-platform',
  'sec-ch-ua-mobile',
]

export function presenceOf(cookie: string | undefined, address: string, headers: Headers): Presence {
  return {
    cookie: cookie !== undefined && COOKIE_FORM.test(cookie) ? cookie : undefined,
    address,
    network: prefixOf(address),
    browser: digestBrowser(headers),
  }
}

export function visitorId(cookie: string): string {
  return hash('sha256', cookie, 'hex')
}

/** The visitor of a cookie: undefined when nobody has it yet, and `other_browser` when it was carried elsewhere. */
export async function recognise(
  { db }: Pick<Deps, 'db'>,
  presence: Presence,
): Promise<AdVisitorRow | 'other_browser' | undefined> {
  if (presence.cookie === undefined) return undefined
  const visitor = await findAdVisitor(db.readPoint, visitorId(presence.cookie))
  if (visitor === null) return undefined
  return isBound(visitor, presence) ? visitor : 'other_browser'
}

/** The network or the browser has to be the same; both change for somebody who stole a cookie. */
export function isBound(
  { network, browser }: Pick<AdVisitorRow, 'network' | 'browser'>,
  presence: Presence,
): boolean {
  return browser === presence.browser || compareNetworks(network, presence.network) !== 'different'
}

/** Nothing is known of an IPv4 and an IPv6 network: one household has both. */
export function compareNetworks(one: string, other: string): 'same' | 'different' | 'unknown' {
  if (one.includes(':') !== other.includes(':')) return 'unknown'
  return one === other ? 'same' : 'different'
}

/** Whether the address that a provider saw may be the visitor's, as strictly as the owner wishes. */
export function fitsAddress(mode: unknown, seen: string | undefined, own: string): boolean {
  if (mode === 'off' || seen === undefined || seen === '') return true
  const networks = compareNetworks(prefixOf(seen), prefixOf(own))
  if (networks === 'unknown') return true
  return mode === 'exact' ? fullOf(seen) === fullOf(own) : networks === 'same'
}

/** The /24 of an IPv4 address, the /48 of an IPv6 one. */
export function prefixOf(address: string): string {
  const plain = plainOf(address)
  if (plain.includes(':') && isIPv6(plain)) return `${expandIPv6(plain).slice(0, 3).join(':')}::/48`
  return `${plain.split('.').slice(0, 3).join('.')}.0/24`
}

function fullOf(address: string): string {
  const plain = plainOf(address)
  return isIPv6(plain) ? expandIPv6(plain).join(':') : plain
}

/** An IPv4 address as a socket for both families shows it is still an IPv4 address. */
function plainOf(address: string): string {
  return address.startsWith('::') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address
}

function digestBrowser(headers: Headers): string {
  const text = BROWSER_HEADERS.map((name) => `${name}\0${headers[name] ?? ''}\0`).join('')
  return hash('sha256', text, 'hex').slice(0, 32)
}
