/** Calls endpoints with keys in every possible location, to check that the keys never leak. */
import type { Endpoint } from '../src/api/endpoint.ts'
import { endpoints } from '../src/endpoints.ts'
import type { Client, TestServer } from './harness.ts'
import { pathOf } from './subjects.ts'

/** Calls that would invalidate the credentials of later calls. */
const LAST = /remove|resetKey|admin\.customers\.blacklist/

/**
 * Sends well-formed and malformed requests with the key in the header, path, query and body. Returns all
 * responses except those to bodies that contain the key, because their errors quote the body.
 */
export async function callEverything(
  server: Pick<TestServer, 'url'>,
  clients: Client[],
  nouns: Record<string, string>,
  asked: readonly Endpoint[] = endpoints,
): Promise<string[]> {
  const answers: string[] = []
  for (const endpoint of asked.filter(({ name }) => !LAST.test(name))) {
    const { method } = endpoint
    const url = server.url + pathOf(endpoint, nouns)
    for (const { apiKey = '' } of clients) {
      const bodies = [JSON.stringify({ [apiKey]: apiKey, name: apiKey }), `{"name":"${apiKey}`]
      for (const body of method === 'GET' ? [] : bodies) await ask(url, method, { token: apiKey }, body)
      answers.push(
        await ask(url, method, { token: apiKey, 'idempotency-key': apiKey }, ''),
        await ask(`${url}?api_key=${apiKey}`, method, { token: apiKey }, ''),
        await ask(`${url}/${apiKey}`, method, { authorization: `Bearer ${apiKey}` }, ''),
      )
    }
  }
  return answers
}

/**
 * Doesn't use the harness's client, because responses no longer match their declarations once the database is
 * gone.
 */
async function ask(url: string, method: string, key: Record<string, string>, body: string): Promise<string> {
  const headers = { ...key, 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, ...(body === '' ? {} : { body }) })
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  // The stream would continue until the reader disconnects.
  await response.body?.cancel()
  return ''
}
