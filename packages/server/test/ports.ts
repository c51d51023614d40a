/** Chooses ports for test servers. Browsers and `fetch` don't block any of these ports. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { isBlocked, leaveBlockedPort } from '../src/http/blocked-ports.ts'

const FIRST = 10_000
const RANGE = '/proc/sys/net/ipv4/ip_local_port_range'

/** Lets the system choose a port, and returns it. */
export async function listenOnFreePort(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening')
  return leaveBlockedPort(server, host)
}

/**
 * Returns a port for a server that can't choose a free port itself, or that must restart on the same port.
 *
 * The port is outside the range that the system uses for outgoing connections. Otherwise, an outgoing
 * connection could take the port before its server listens, and a client that keeps retrying the port while
 * its server is down might connect to itself.
 */
export async function freePort(): Promise<number> {
  const end = Number(readFileSync(RANGE, 'utf8').split(/\s+/)[0])
  for (;;) {
    const port = randomInt(FIRST, end > FIRST ? end : 65_536)
    if (!isBlocked(port) && (await isFree(port))) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
