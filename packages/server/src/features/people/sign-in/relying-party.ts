/** Where passkeys of this service count: a host name, which is bound into every passkey, and the one origin of its pages. */
import { isIP } from 'node:net'
import { type Refused, refuse } from '../../../api/refusals.ts'
import type { Config } from '../../../config/config.ts'

/** As WebAuthn calls it. */
export type RelyingParty = { readonly id: string; readonly origin: string }

/**
 * Browsers offer passkeys to names reached over TLS and to `localhost`, never to an IP address; a service on the loopback
 * address of this machine is `localhost` to them. `asking` is the origin of the page that asks, if it is known.
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

/** `host` as the host name of a URL. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
