/** The client protocol URLs: the configured URLs, or the URL of this request. */

import type { Origin } from '../../../api/endpoint.ts'
import type { Config } from '../../../config/config.ts'

const PREFIX = '/client/v1'
const LOOPBACK = /^(::ffff:)?127\.|^::1$/i
const HOST = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i

/**
 * If no URLs are configured, the server does not know its public host name. It returns the name from the
 * request, but only to the caller, so a forged name affects nobody else. The result must not be signed (see
 * {@link signedUrls}).
 */
export function clientUrls(config: Config, headers: Origin['headers']): readonly string[] {
  const known = knownUrls(config)
  if (known.length > 0) return known
  const { host } = headers
  const isName = typeof host === 'string' && HOST.test(host)
  return [`http://${isName ? host : `${config.host}:${config.port}`}${PREFIX}`]
}

/**
 * Returns the URLs to sign in a boot record. Without configured URLs, there are none, because the client
 * could have forged the host name. Clients on this machine get the URL that they called.
 */
export function signedUrls(config: Config, { address, headers }: Origin): readonly string[] {
  const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers
  return LOOPBACK.test(address) && !isForwarded ? clientUrls(config, headers) : knownUrls(config)
}

function knownUrls({ clientUrls: urls, baseUrl }: Config): readonly string[] {
  if (urls.length > 0 || baseUrl === undefined) return urls
  return [`${baseUrl}${PREFIX}`]
}
