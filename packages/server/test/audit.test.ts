/** Every declared change writes one audit entry when it succeeds and none when it fails, in the transaction of the change. */
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../src/endpoints/endpoint.ts'
import { endpoints } from '../src/endpoints/list.ts'
import { anyEngine } from './databases.ts'
import { exampleOf } from './examples.ts'
import { serverOn } from './harness.ts'
import type { Browser } from './people/browsers.ts'
import { type Furnished, furnish, pathOf } from './subjects.ts'

const changing = endpoints
  .filter(({ method, changes = method !== 'GET', auth }) => changes && auth !== 'client' && auth !== 'none')
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

describe.each(anyEngine)('the audit log on $name', (engine) => {
  const { at } = serverOn(engine)
  const entries = () => at().deps.db.read.selectFrom('audit_entries').selectAll().orderBy('seq').execute()
  const ask = (endpoint: Endpoint, client: Browser, nouns: Furnished['nouns']) => {
    const { method } = endpoint
    const body = JSON.stringify(exampleOf(endpoint.body))
    return client.send(method, pathOf(endpoint, nouns), {
      headers: { 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body }),
    })
  }

  it.each(changing)('has one entry for a success and none for a failure: %s', async (_, endpoint) => {
    const { owner, nouns, person } = await furnish(at())
    const others = endpoint.auth === 'admin' ? at().admin : owner
    const client = endpoint.auth === 'person' ? person : others
    const before = (await entries()).length
    const answer = await ask(endpoint, client, nouns)
    const made = (await entries()).slice(before)
    expect(made.map(({ action }) => action)).toEqual(answer.status === 200 ? [endpoint.name] : [])
    const none = Object.fromEntries(Object.keys(nouns).map((name) => [name, 'none']))
    const refused = await ask(endpoint, client, none)
    if (refused.status !== 200) expect((await entries()).length).toBe(before + made.length)
  })
})
