/**
 * Warns the operator about a proxy that isn't configured. Behind such a proxy, all clients share one IP
 * address.
 */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { type Reporting, report } from '../features/abuse/security-events.ts'

/**
 * Checks each request, but warns only once. Any client can send `X-Forwarded-For`, so repeated warnings could
 * flood the log.
 */
export function warnOfUnknownProxy(
  trustProxy: readonly string[],
  reporting: Reporting,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => void {
  const isTrusted = proxyAddr.compile([...trustProxy])
  let isDone = false
  return ({ headers, socket: { remoteAddress: peer } }) => {
    if (isDone || peer === undefined || headers['x-forwarded-for'] === undefined || isTrusted(peer, 0)) return
    isDone = true
    report(reporting, 'unknown_proxy', { peer })
  }
}
