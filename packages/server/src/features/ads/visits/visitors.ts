/**
 * Recognizes visitors by the secret in their cookie, which is valid only in the browser or on the network
 * that it was issued to. Also compares a visitor's IP address with the one that a provider saw.
 */
import { hash } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { compareNetworks, isSameAddress, prefixOf } from '../../../platform/limits/networks.ts'
import { type AdVisitorRow, findAdVisitor } from '../store/ad-visitors.ts'

/** Data in a request that identifies its visitor. */
export type Presence = {
  /** The cookie's secret. Undefined if missing or malformed. */
  readonly cookie: string | undefined
  readonly address: string
  /** The visitor's network, as a /24 or /48 prefix. */
  readonly network: string
  /** Hash of the headers that identify the browser. */
  readonly browser: string
}

export const COOKIE_BYTES = 32
const COOKIE_FORM = /^[A-Za-z0-9_-]{43}$/

/** `browserTraits` must always be in the same order. */
export function presenceOf(
  cookie: string | undefined,
  address: string,
  browserTraits: readonly string[],
): Presence {
  return {
    cookie: cookie !== undefined && COOKIE_FORM.test(cookie) ? cookie : undefined,
    address,
    network: prefixOf(address),
    browser: hash('sha256', browserTraits.join('\0'), 'hex').slice(0, 32),
  }
}

export function visitorId(cookie: string): string {
  return hash('sha256', cookie, 'hex')
}

/**
 * Finds a cookie's visitor. Returns undefined if there is none, and `other_browser` if the cookie was copied.
 */
export async function recognize(
  { db }: Pick<Deps, 'db'>,
  presence: Presence,
): Promise<AdVisitorRow | 'other_browser' | undefined> {
  if (presence.cookie === undefined) return undefined
  const visitor = await findAdVisitor(db.readPoint, visitorId(presence.cookie))
  if (visitor === null) return undefined
  return isBound(visitor, presence) ? visitor : 'other_browser'
}

/** Accepts the same network or the same browser. A stolen cookie usually matches neither. */
function isBound(
  { network, browser }: Pick<AdVisitorRow, 'network' | 'browser'>,
  presence: Presence,
): boolean {
  return browser === presence.browser || compareNetworks(network, presence.network) !== 'different'
}

/** Returns whether the IP address that a provider saw may be the visitor's. `mode` is the owner's setting. */
export function fitsAddress(mode: unknown, seen: string | undefined, own: string): boolean {
  if (mode === 'off' || seen === undefined || seen === '') return true
  const networks = compareNetworks(prefixOf(seen), prefixOf(own))
  if (networks === 'unknown') return true
  return mode === 'exact' ? isSameAddress(seen, own) : networks === 'same'
}
