/**
 * Recognizes a visitor of ads by the secret in their cookie, which is valid only in the browser or the network that
 * it was issued to. Also compares the IP address that a provider saw with the visitor's.
 */
import { hash } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import { compareNetworks, isSameAddress, prefixOf } from '../../../platform/limits/networks.ts'
import { type AdVisitorRow, findAdVisitor } from '../store/ad-visitors.ts'

/** The visitor's traits in a request. */
export type Presence = {
  /** The secret from the cookie; undefined when it is missing or malformed. */
  readonly cookie: string | undefined
  readonly address: string
  /** The /24 or /48 of the IP address. */
  readonly network: string
  /** Digest of the traits that the browser sends. */
  readonly browser: string
}

export const COOKIE_BYTES = 32
const COOKIE_FORM = /^[A-Za-z0-9_-]{43}$/

/** `browserTraits` are the traits that the browser sends, always in the same order. */
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

/** Finds the visitor of a cookie: undefined when it is unknown, `other_browser` when it was copied. */
export async function recognise(
  { db }: Pick<Deps, 'db'>,
  presence: Presence,
): Promise<AdVisitorRow | 'other_browser' | undefined> {
  if (presence.cookie === undefined) return undefined
  const visitor = await findAdVisitor(db.readPoint, visitorId(presence.cookie))
  if (visitor === null) return undefined
  return isBound(visitor, presence) ? visitor : 'other_browser'
}

/** Requires the same network or the same browser. For a thief of the cookie both differ. */
function isBound(
  { network, browser }: Pick<AdVisitorRow, 'network' | 'browser'>,
  presence: Presence,
): boolean {
  return browser === presence.browser || compareNetworks(network, presence.network) !== 'different'
}

/** Whether the IP address that a provider saw may be the visitor's, as strictly as the owner chose. */
export function fitsAddress(mode: unknown, seen: string | undefined, own: string): boolean {
  if (mode === 'off' || seen === undefined || seen === '') return true
  const networks = compareNetworks(prefixOf(seen), prefixOf(own))
  if (networks === 'unknown') return true
  return mode === 'exact' ? isSameAddress(seen, own) : networks === 'same'
}
