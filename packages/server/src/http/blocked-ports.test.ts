import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { leaveBlockedPort } from './blocked-ports.ts'

/** Simulates a system that assigns ports that browsers block, such as one whose port range begins at 1024. */
async function listeningOn(port: number) {
  const server = createServer((_request, response) => void response.end('reached'))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

test('a server on a port that fetch refuses moves to one that fetch accepts', async () => {
  const server = await listeningOn(6669)
  try {
    await expect(fetch('http://127.0.0.1:6669')).rejects.toThrow('fetch failed')
    const port = await leaveBlockedPort(server, '127.0.0.1')
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('reached')
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
