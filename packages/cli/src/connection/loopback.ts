/** Where the browser brings the code of a login to: a port of this machine alone. Source: RFC 8252 §7.3. */

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

/** What the browser brought. */
export type Arrival = {
  /** undefined when the person did not allow it. */
  readonly code: string | undefined
  /** Sends the browser on to this page; resolves when it has been told. */
  sendTo(page: string): Promise<void>
}

export type Loopback = { readonly port: number; readonly arrival: Promise<Arrival>; close(): void }

/** Whatever does not know the state is turned away, and the wait goes on: another page must not be able to end a login. */
export async function listenFor(state: string): Promise<Loopback> {
  const arrived = Promise.withResolvers<Arrival>()
  const server = createServer(({ url = '' }, response) => {
    const found = codeIn(url, state)
    if (found === undefined)
      response.writeHead(404, TEXT).end("This is not what 'scriptward login' waits for.\n")
    else arrived.resolve({ code: found.code, sendTo: (page) => redirect(response, page) })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port, arrival: arrived.promise, close }
}

const TEXT = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }

function redirect(response: ServerResponse, location: string): Promise<void> {
  return new Promise((resolve) => {
    if (response.closed) return resolve()
    response.once('close', resolve)
    response.writeHead(303, { ...TEXT, location }).end()
  })
}

/**
 * Lines of standard input until one is the address at which the browser of another machine ended. `onOther` is called with
 * every other line. Never resolves when the input ends before.
 */
export function readAddress(
  stdin: NodeJS.ReadStream,
  state: string,
  onOther: () => void,
): Pick<Loopback, 'arrival' | 'close'> {
  const arrived = Promise.withResolvers<Arrival>()
  const lines = createInterface({ input: stdin })
  lines.on('line', (line) => {
    const found = codeIn(line.trim(), state)
    if (found !== undefined) arrived.resolve({ ...found, sendTo: async () => undefined })
    else if (line.trim() !== '') onOther()
  })
  const close = () => {
    lines.close()
    stdin.destroy()
  }
  return { arrival: arrived.promise, close }
}

/** `address` is whole, or its path and query. */
function codeIn(address: string, state: string): { readonly code: string | undefined } | undefined {
  const base = 'http://127.0.0.1'
  if (!URL.canParse(address, base)) return undefined
  const { pathname, searchParams } = new URL(address, base)
  if (pathname !== '/' || searchParams.get('state') !== state) return undefined
  return { code: searchParams.get('code') ?? undefined }
}
