/** Ports for servers that cannot be asked for a free one, or that have to come back at the one they had. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const FIRST = 10_000
const RANGE = '/proc/sys/net/ipv4/ip_local_port_range'

/**
 * Outside the range that the system gives to outgoing connections. Of those, one may take the port before its server
 * listens, and a client that tries a port there again and again while its server is down may connect to itself.
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
