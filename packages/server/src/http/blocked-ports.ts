/**
 * Ports that browsers and `fetch` refuse to connect to. Source: https://fetch.spec.whatwg.org/#port-blocking
 */

import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Includes only ports above 1023, because systems don't assign lower ones. */
const BLOCKED: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
])

export function isBlocked(port: number): boolean {
  return BLOCKED.has(port)
}

/**
 * Moves a server to another port if the system chose one that browsers block.
 *
 * @returns the port that the server listens on
 */
export async function leaveBlockedPort(server: Server, host: string): Promise<number> {
  for (;;) {
    const { port } = server.address() as AddressInfo
    if (!isBlocked(port)) return port
    server.close()
    await once(server, 'close')
    await once(server.listen(0, host), 'listening')
  }
}
