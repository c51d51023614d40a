/** Warns the operator of a proxy that is not configured, behind which all clients count as one address. */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { type Reporting, report } from '../features/abuse/security-events.ts'

/** Looks at each request and warns of the first one. Any client may send the header, so more lines would be a flood. */
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
