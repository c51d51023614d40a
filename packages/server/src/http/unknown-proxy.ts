/** Warns the operator of a proxy that is not configured, behind which all clients count as one address. */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { Logger } from 'pino'

/** Looks at each request and warns of the first one. Any client may send the header, so more lines would be a flood. */
export function warnOfUnknownProxy(
  trustProxy: readonly string[],
  log: Pick<Logger, 'warn'>,
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => void {
  const isTrusted = proxyAddr.compile([...trustProxy])
  let isDone = false
  return ({ headers, socket: { remoteAddress: peer } }) => {
    if (isDone || peer === undefined || headers['x-forwarded-for'] === undefined || isTrusted(peer, 0)) return
    isDone = true
    log.warn(
      { peer },
      `X-Forwarded-For comes from ${peer}, which SCRIPTWARD_TRUST_PROXY does not name, and is ignored: if that is your proxy, all clients count as one address and share its limits and pauses; then add ${peer} to SCRIPTWARD_TRUST_PROXY`,
    )
  }
}
