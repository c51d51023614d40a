/** A browser of a test: the requests of its pages carry the cookie of whoever is signed in. */

import type { PersonRow } from '../../src/store/tables/sign-ins.ts'
import type { Answer } from '../answers.ts'
import type { TestServer } from '../harness.ts'
import { headersOf, signIn } from '../people.ts'

export type Headers = Readonly<Record<string, string>>
export type Browser = {
  readonly headers: Headers
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
}

export function browserWith(server: TestServer, headers: Headers = {}): Browser {
  const client = server.client()
  const json = { ...headers, 'content-type': 'application/json' }
  return {
    headers,
    get: (path) => client.get(path, { ...headers }),
    post: (path, body = {}) => client.send('POST', path, { headers: json, body: JSON.stringify(body) }),
  }
}

/** Of a person who has just signed in. */
export async function browserOf(server: TestServer, person: PersonRow): Promise<Browser> {
  return browserWith(server, await signIn(server, person))
}

/** The browser that this answer signed in. */
export function browserAfter(server: TestServer, { headers }: Answer): Browser {
  const [, cookie = ''] = /(?:^|, )scriptward=([^;]+)/.exec(headers.getSetCookie().join(', ')) ?? []
  return browserWith(server, headersOf(cookie))
}
