/** Where clients find the client protocol: the configured addresses, or the one by which this request came. */

import type { Origin } from '../../../api/endpoint.ts'
import type { Config } from '../../../config/config.ts'

const PREFIX = '/client/v1'
const LOOPBACK = /^(::ffff:)?127\.|^::1$/i
const HOST = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i

/**
 * Without configuration a service does not know under which name it is reached. The name that the caller used goes
 * back to that caller alone, so a wrong one misleads no other client. It must not be signed: see {@link signedUrls}.
 */
export function clientUrls(config: Config, headers: Origin['headers']): readonly string[] {
  const known = knownUrls(config)
  if (known.length > 0) return known
  const { host } = headers
  const isName = typeof host === 'string' && HOST.test(host)
  return [`http://${isName ? host : `${config.host}:${config.port}`}${PREFIX}`]
}

/**
 * What a boot record says under the signature of the service: the configured addresses, and none where they would be
 * guessed, since the client could have made up the name. A client on this machine gets the address that it called.
 */
export function signedUrls(config: Config, { address, headers }: Origin): readonly string[] {
  const isForwarded = 'x-forwarded-for' in headers || 'forwarded' in headers
  return LOOPBACK.test(address) && !isForwarded ? clientUrls(config, headers) : knownUrls(config)
}

function knownUrls({ clientUrls: urls, baseUrl }: Config): readonly string[] {
  if (urls.length > 0 || baseUrl === undefined) return urls
  return [`${baseUrl}${PREFIX}`]
}
