/** Memory limits for request bodies, on real connections. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { BodyRoom } from './body-room.ts'

const EACH_BYTES = 64 * 1_048_576

test('a body whose connection closed while its sender was identified occupies no memory', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = connect(port, '127.0.0.1')
  client.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n')
  const [, answer] = (await once(server, 'request')) as [unknown, ServerResponse]
  const closed = once(answer, 'close')
  client.destroy()
  await closed
  const room = new BodyRoom()
  room.take('owner', EACH_BYTES, answer)
  const other = connect(port, '127.0.0.1')
  other.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n')
  const [, next] = (await once(server, 'request')) as [unknown, ServerResponse]
  expect(room.take('owner', EACH_BYTES, next)).toBe(true)
  other.destroy()
  server.close()
})
