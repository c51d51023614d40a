import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { leaveBlockedPort } from './blocked-ports.ts'

/** Browsers block all of these. Another run of the tests may be using one of them. */
const PORTS = [6669, 6668, 6667, 6666, 6665, 6697]

/** Simulates a system that assigns ports that browsers block, such as one whose port range begins at 1024. */
async function listeningOnBlocked() {
  const server = createServer((_request, response) => void response.end('reached'))
  for (const port of PORTS)
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
      return { server, port }
    } catch (error) {
      expect(error).toMatchObject({ code: 'EADDRINUSE' })
    }
  throw new Error('all blocked ports are in use')
}

test('a server on a port that fetch refuses moves to one that fetch accepts', async () => {
  const { server, port: blocked } = await listeningOnBlocked()
  try {
    await expect(fetch(`http://127.0.0.1:${blocked}`)).rejects.toThrow('fetch failed')
    const port = await leaveBlockedPort(server, '127.0.0.1')
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('reached')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
