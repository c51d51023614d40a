import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { holdFreePort } from './free-port.ts'

const HOST = '127.0.0.1'

async function listeningOn(port: number) {
  const server = createServer()
  await once(server.listen(port, HOST), 'listening')
  return server
}

test('a held port is one that fetch accepts, and no other server can take it until it is released', async () => {
  const taken = await holdFreePort(HOST)
  const free = await holdFreePort(HOST)
  await free.release()
  const choices = [10_080, taken.port, free.port]
  const held = await holdFreePort(HOST, () => choices.shift() ?? 0)
  expect(held.port).toBe(free.port)
  await expect(listeningOn(held.port)).rejects.toThrow('EADDRINUSE')
  await held.release()
  await held.release()
  const server = await listeningOn(held.port)
  server.close()
  await taken.release()
})

test('a host that this machine does not have is an error', async () => {
  await expect(holdFreePort('192.0.2.1')).rejects.toThrow('EADDRNOTAVAIL')
})
