/** Creates a link that opens a temporary server's dashboard with the owner signed in. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TemporaryServer } from './temporary-server.ts'

export type SignedInLink = { readonly url: string; close(): void }

const OWNER = { email: 'owner@localhost', name: 'Owner' }

/**
 * Creates the server's owner, and serves a page that sets the owner's session cookie in the browser. Cookies
 * apply to all ports of a host, so a page on another port of this machine can set the cookie. This way, the
 * server needs no passwordless login.
 */
export async function makeSignedInLink({ url, setUpSecret }: TemporaryServer): Promise<SignedInLink> {
  const cookies = await signIn(url, setUpSecret)
  const secret = `/${randomBytes(24).toString('base64url')}`
  const server = createServer((request, response) => {
    const isMeant = request.url === secret
    const headers = { 'set-cookie': cookies, location: `${url}/dashboard/`, 'referrer-policy': 'no-referrer' }
    if (isMeant) response.writeHead(303, headers).end()
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${port}${secret}`, close }
}

async function signIn(url: string, link: string): Promise<string[]> {
  const password = randomBytes(24).toString('base64url')
  const response = await fetch(`${url}/v1/auth/set-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link, password, ...OWNER }),
  })
  if (!response.ok) throw new Error(`Couldn't sign in to the temporary server: ${await response.text()}`)
  return response.headers.getSetCookie()
}
