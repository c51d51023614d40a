/** The scope of passkeys: a host name, which is part of every passkey, and the pages' only origin. */
import { isIP } from 'node:net'
import { type Refused, refuse } from '../../../api/refusals.ts'
import type { Config } from '../../../config/config.ts'

/** Fields are named as in WebAuthn. */
export type RelyingParty = { readonly id: string; readonly origin: string }

/**
 * Browsers support passkeys for host names over TLS and for `localhost`, but never for an IP address. A
 * server on this machine's loopback address can be reached as `localhost`. `asking` is the origin of the
 * requesting page, if it is known.
 */
export function relyingParty(
  { baseUrl, port }: Pick<Config, 'baseUrl' | 'port'>,
  asking?: string | string[],
): RelyingParty | Refused<'passkeys_unavailable'> {
  const url = new URL(baseUrl ?? `http://localhost:${port}`)
  if (url.protocol === 'http:' && isLoopback(url.hostname)) url.hostname = 'localhost'
  const isNamed = isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0
  const isOffered = isNamed && (url.protocol === 'https:' || url.hostname === 'localhost')
  if (!isOffered) return refuse('passkeys_unavailable')
  const { hostname, origin } = url
  return asking === undefined || asking === origin
    ? { id: hostname, origin }
    : refuse('passkeys_unavailable', { address: origin })
}

/** `host` is formatted like the host name of a URL. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
