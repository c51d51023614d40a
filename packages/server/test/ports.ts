/** Ports for servers that can't choose a free one themselves, or that must return on the same port. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const FIRST = 10_000
const RANGE = '/proc/sys/net/ipv4/ip_local_port_range'

/**
 * Outside the range that the system uses for outgoing connections. An outgoing connection could take the
 * port before its server listens. In addition, a client that keeps retrying a port in that range while
 * its server is down may connect to itself.
 */
export async function freePort(): Promise<number> {
  const end = Number(readFileSync(RANGE, 'utf8').split(/\s+/)[0])
  for (;;) {
    const port = randomInt(FIRST, end > FIRST ? end : 65_536)
    if (await isFree(port)) return port
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
