/** Receives the login code from the browser on a loopback port (RFC 8252 §7.3). */

import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'

/** The browser's callback request. */
export type Arrival = {
  /** Undefined if the user declined. */
  readonly code: string | undefined
  /** Redirects the browser to this page. Resolves when the response has been sent. */
  sendTo(page: string): Promise<void>
}

export type Loopback = { readonly port: number; readonly arrival: Promise<Arrival>; close(): void }

/** Rejects requests with the wrong state and keeps waiting, so that another web page can't abort a login. */
export async function listenFor(state: string): Promise<Loopback> {
  const arrived = Promise.withResolvers<Arrival>()
  const server = createServer(({ url = '' }, response) => {
    const found = codeIn(url, state)
    if (found === undefined)
      response.writeHead(404, TEXT).end("Not a valid callback for 'scriptward login'.\n")
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
 * Reads lines from standard input until the user pastes the callback URL from a browser on another machine.
 * Calls `onOther` for every other line. Never resolves if the input ends first.
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

/** `address` is a full URL, or only its path and query. */
function codeIn(address: string, state: string): { readonly code: string | undefined } | undefined {
  const base = 'http://127.0.0.1'
  if (!URL.canParse(address, base)) return undefined
  const { pathname, searchParams } = new URL(address, base)
  if (pathname !== '/' || searchParams.get('state') !== state) return undefined
  return { code: searchParams.get('code') ?? undefined }
}
