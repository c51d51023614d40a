/** Limits on idle connections and on the number of connections. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { effort } from '../../../client/test/effort.ts'
import { sqlite } from '../../test/databases.ts'
import { ADMIN_KEY, serverOn, startServer, type TestServer } from '../../test/harness.ts'
import { runningRequests } from '../../test/running-requests.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** `closed` resolves when the connection is closed on both sides. */
async function open(
  url: string,
  allowHalfOpen = false,
): Promise<{ socket: Socket; closed: Promise<unknown> }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen })
  sockets.push(socket)
  socket.on('error', () => {})
  // A socket error also ends the connection.
  const closed = once(socket, 'close').catch(() => undefined)
  await once(socket, 'connect')
  return { socket, closed }
}

const countOf = (log: readonly string[], words: string) => log.filter((line) => line.includes(words)).length

describe('a connection that sends nothing', () => {
  const { at } = serverOn(sqlite, { config: { headersTimeoutMs: 200 } })

  test.each([
    ['at all', ''],
    ['more after half of its headers', 'GET /healthz HTTP/1.1\r\nhost:'],
  ])('%s gets an explanation, and is closed even if its client never closes', async (_, sent) => {
    const { socket } = await open(at().url, true)
    let text = ''
    socket.on('data', (some) => {
      text += String(some)
    })
    socket.write(sent)
    await once(socket, 'end')
    expect(text).toContain('The request is invalid.')
    // Data can still be sent to a socket that has ended, but a destroyed socket resets the connection.
    await expect
      .poll(() => {
        if (!socket.destroyed) socket.write('more')
        return socket.destroyed
      })
      .toBe(true)
  })
})

describe('a shutdown', () => {
  const incomplete =
    'POST /v1/projects/new HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 15\r\n'
  const running = async (server: TestServer) => {
    const { socket } = await open(server.url)
    let text = ''
    socket.on('data', (some) => {
      text += String(some)
    })
    socket.write(`${incomplete}token: ${ADMIN_KEY}\r\n\r\n{"name":`)
    await expect.poll(() => runningRequests(server.url)).toBe(1)
    return { socket, text: () => text }
  }

  test('ignores connections without a request, and waits for requests in flight', async () => {
    const server = await startServer(sqlite)
    const unused = [await open(server.url), await open(server.url)]
    unused[1]?.socket.write('GET /healthz HTTP/1.1\r\nhost:')
    const request = await running(server)
    const stopped = server.close()
    for (const { closed, socket } of unused) {
      socket.resume()
      await closed
    }
    request.socket.write('"Last"}')
    await stopped
    await expect.poll(request.text).toMatch(/^HTTP\/1.1 200 OK/)
  })

  test.runIf(effort({ day: false, night: true }))('cuts off a request that never ends', async () => {
    const server = await startServer(sqlite)
    const request = await running(server)
    await server.close()
    await expect.poll(() => request.socket.destroyed).toBe(true)
    expect(request.text()).toBe('')
  })
})

describe('too many connections of one IP address', () => {
  const { at } = serverOn(sqlite, { config: { maxConnectionsEach: 3 } })

  test('are rejected with one log line, and a closed one makes room for another', async () => {
    const { url, log } = at()
    const first = await open(url)
    const others = [await open(url), await open(url)]
    const refused = [await open(url), await open(url)]
    for (const { socket, closed } of refused) {
      socket.resume()
      await closed
    }
    expect(others.map(({ socket }) => socket.destroyed)).toEqual([false, false])
    expect(countOf(log, 'too many open connections from one IP address')).toBe(1)
    first.socket.destroy()
    await expect.poll(async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status).toBe(200)
  })
})

describe('many connections of a trusted proxy', () => {
  const { at } = serverOn(sqlite, { config: { maxConnectionsEach: 1, trustProxy: ['127.0.0.1'] } })

  test('are accepted', async () => {
    await open(at().url)
    await open(at().url)
    expect((await fetch(`${at().url}/healthz`)).status).toBe(200)
  })
})

describe('too many connections in total', () => {
  const { at } = serverOn(sqlite, { config: { maxConnections: 2, maxConnectionsEach: 2 } })

  test('are rejected with one log line', async () => {
    const { url, log } = at()
    const kept = [await open(url), await open(url)]
    for (const { socket, closed } of [await open(url), await open(url)]) {
      socket.resume()
      await closed
    }
    expect(kept.map(({ socket }) => socket.destroyed)).toEqual([false, false])
    expect(countOf(log, 'too many open connections: new ones are rejected')).toBe(1)
  })
})
