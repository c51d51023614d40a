/** The pages of ad systems under the address that the operator gave them, which may be a host of their own. */
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'

type Addresses = Pick<Config, 'adsUrl' | 'baseUrl'>
type Asked = Pick<IncomingMessage, 'url' | 'headers'>

/**
 * The path under which the router knows what was asked for. On the host of the pages whatever lies below their address is
 * theirs; a proxy that writes paths anew, and the path `/ads/` on every host, need nothing of this. Undefined where all
 * paths are known as they were asked for.
 */
export function adsPaths({ adsUrl, baseUrl }: Addresses): ((asked: Asked) => string) | undefined {
  const own = adsUrl === undefined ? null : URL.parse(adsUrl)
  const prefix = own?.pathname.replace(/\/$/, '') ?? ''
  // Without a path and on the same host they would take the place of everything else.
  const isApart = own !== null && (prefix !== '' || own.host !== URL.parse(baseUrl ?? '')?.host)
  if (!isApart) return undefined
  return ({ url = '/', headers }) => {
    const isTheirs = headers.host?.toLowerCase() === own.host && url.startsWith(`${prefix}/`)
    return isTheirs && !url.startsWith(PATH) ? PATH + url.slice(prefix.length + 1) : url
  }
}

const PATH = '/ads/'
