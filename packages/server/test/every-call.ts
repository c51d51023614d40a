/** Every endpoint called with keys in every place where one can stand, to look for the keys wherever they must not be. */
import { endpoints } from '../src/endpoints.ts'
import type { Client, TestServer } from './harness.ts'
import { pathOf } from './subjects.ts'

/** Those that would end what the next ones are asked with. */
const LAST = /remove|resetKey|admin\.customers\.blacklist/

/**
 * Well-formed and malformed, with the key in the header, in the path, in the query and in the body. Answers what was
 * answered, but for bodies that hold the key, whose complaints name what they were sent.
 */
export async function callEverything(
  server: Pick<TestServer, 'url'>,
  clients: Client[],
  nouns: Record<string, string>,
): Promise<string[]> {
  const answers: string[] = []
  for (const endpoint of endpoints.filter(({ name }) => !LAST.test(name))) {
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

/** Not the client of the harness: after the database is gone, answers are not what their endpoints declare. */
async function ask(url: string, method: string, key: Record<string, string>, body: string): Promise<string> {
  const headers = { ...key, 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, ...(body === '' ? {} : { body }) })
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  // It would go on for as long as anybody listens.
  await response.body?.cancel()
  return ''
}
