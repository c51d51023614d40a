/** Bodies of real requests, and of those that never end. */
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { Refused } from '../domain/refusals.ts'
import { readBytes } from './body.ts'

const LIMIT = 100

/** What became of the body of a request of which these pieces are sent, before its connection is broken off. */
async function readOf(pieces: readonly string[]): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const read = new Promise<string>((resolve) => {
    server.on('request', (message) => void outcomeOf(message).then(resolve))
  })
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  socket.destroy()
  return read.finally(() => server.close())
}

const outcomeOf = (message: IncomingMessage) =>
  readBytes(message, LIMIT).then(
    (bytes) => (bytes instanceof Refused ? bytes.reason : bytes.toString()),
    (error: Error) => error.message,
  )

const head = (length: number) => `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`

it('is what was sent, in one piece or in many', async () => {
  expect(await readOf([`${head(4)}body`])).toBe('body')
  expect(await readOf([head(4), 'bo', 'dy'])).toBe('body')
  expect(await readOf([head(0)])).toBe('')
})

it('is refused when it is too large, whether or not it says so', async () => {
  expect(await readOf([head(LIMIT + 1)])).toBe('too_large')
  const chunked = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n'
  expect(await readOf([chunked, '3c\r\n', 'x'.repeat(60), '\r\n3c\r\n', 'x'.repeat(60)])).toBe('too_large')
})

it('is not waited for when its client goes away', async () => {
  const gone = 'the client went away before its request was complete'
  expect(await readOf([`${head(10)}half`])).toBe(gone)
  expect(await readOf([head(10)])).toBe(gone)
})
