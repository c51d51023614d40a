/** Simulates a browser whose page requests carry the session cookie of the signed-in user. */

import type { PersonRow } from '../../src/features/people/store/sign-ins.ts'
import type { Answer } from '../answers.ts'
import type { Client, TestServer } from '../harness.ts'
import { headersOf, signIn } from '../people.ts'

export type Headers = Readonly<Record<string, string>>
export type Browser = Pick<Client, 'get' | 'post' | 'send'>

export function browserWith(server: TestServer, own: Headers = {}): Browser {
  const client = server.client()
  const send: Browser['send'] = (method, path, { headers, ...sent }) =>
    client.send(method, path, { ...sent, headers: { ...own, ...headers } })
  const headers = { 'content-type': 'application/json' }
  return {
    send,
    get: (path) => send('GET', path, {}),
    post: (path, body = {}) => send('POST', path, { headers, body: JSON.stringify(body) }),
  }
}

/** Returns the browser of a newly signed-in user. */
export async function browserOf(server: TestServer, person: PersonRow): Promise<Browser> {
  return browserWith(server, await signIn(server, person))
}

/** Returns the browser that this response signed in. */
export function browserAfter(server: TestServer, { headers }: Answer): Browser {
  const [, cookie = ''] = /(?:^|, )scriptward=([^;]+)/.exec(headers.getSetCookie().join(', ')) ?? []
  return browserWith(server, headersOf(cookie))
}
