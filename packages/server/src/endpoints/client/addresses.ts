/** Where clients find the client protocol: the configured addresses, or the one by which this request came. */
import type { Config } from '../../config.ts'
import type { Origin } from '../endpoint.ts'

const PREFIX = '/client/v1'
const HOST = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i

/**
 * Without configuration a service does not know under which name it is reached. The name that the caller used goes
 * back to that caller alone, so telling a wrong one only leads himself astray.
 */
export function clientUrls(config: Config, headers: Origin['headers']): readonly string[] {
  if (config.clientUrls.length > 0) return config.clientUrls
  if (config.baseUrl !== undefined) return [`${config.baseUrl}${PREFIX}`]
  const { host } = headers
  const isName = typeof host === 'string' && HOST.test(host)
  return [`http://${isName ? host : `${config.host}:${config.port}`}${PREFIX}`]
}
