/** Chooses ports for test servers. Browsers and `fetch` don't block any of these ports. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { isBlocked, leaveBlockedPort } from '../src/http/blocked-ports.ts'

/**
 * Servers choose their own port from 10,000 on, and the system uses ports from 32,768 on for outgoing
 * connections. Each worker of a run has its own thousand ports below.
 */
const FIRST = 2000
const EACH = 1000
const WORKERS = 8
const first = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * EACH

/** Lets the system choose a port, and returns it. */
export async function listenOnFreePort(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening')
  return leaveBlockedPort(server, host)
}

/**
 * Returns a port for a server that can't choose a free port itself, or that must restart on the same port.
 *
 * Nothing else in a test run uses these ports. Otherwise, another server or an outgoing connection could take
 * the port before its server listens or while its server is down, and a client that keeps retrying the port
 * might connect to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, first + EACH)
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
