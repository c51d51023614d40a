/**
 * Removes the ports that some proxies add to the addresses in `X-Forwarded-For`. Otherwise, each connection
 * would count as a separate client, and its address wouldn't match any allowed network.
 */
import type { IncomingMessage } from 'node:http'

const V4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d+$/
const V6_IN_BRACKETS = /^\[([\da-fA-F:.]+)\](?::\d+)?$/

export function dropPorts({ headers }: Pick<IncomingMessage, 'headers'>): void {
  const given = headers['x-forwarded-for']
  if (typeof given !== 'string' || !given.includes(':')) return
  const addresses = given.split(',').map((one) => one.trim())
  headers['x-forwarded-for'] = addresses
    .map((one) => one.replace(V4_WITH_PORT, '$1').replace(V6_IN_BRACKETS, '$1'))
    .join(', ')
}
