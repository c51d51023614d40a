/** Ports that servers of tests listen on. Browsers and `fetch` connect to all of them. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { isBlocked, leaveBlockedPort } from '../src/http/blocked-ports.js'

const FIRST = 10_000
const RANGE = '/proc/sys/net/ipv4/ip_local_port_range'
/** Lets the system choose the port, and returns it. */
export async function listenOnFreePort(server, host = '127.0.0.1') {
  await once(server.listen(0, host), 'listening')
  return leaveBlockedPort(server, host)
}
/**
 * For a server that can't choose a free port itself, or that must return on the same port.
 *
 * Outside the range that the system uses for outgoing connections. An outgoing connection could take the
 * port before its server listens. In addition, a client that keeps retrying a port in that range while
 * its server is down may connect to itself.
 */
export async function freePort() {
  const end = Number(readFileSync(RANGE, 'utf8').split(/\s+/)[0])
  for (;;) {
    const port = randomInt(FIRST, end > FIRST ? end : 65_536)
    if (!isBlocked(port) && (await isFree(port))) return port
  }
}
async function isFree(port) {
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
