/**
 * A request that is retried with the same `Idempotency-Key` gets the same response and is not performed
 * again.
 */
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../test/answers.ts'
import { engines } from '../../test/databases.ts'
import { type Client, type Owner, START, serverOn, startServer } from '../../test/harness.ts'
import { createOwner } from '../../test/nouns.ts'
import { onTwoProcesses } from '../../test/processes/two-processes.ts'
import { changeRows, insertRows, rowsOf } from '../../test/stored.ts'
import { findIdempotencyKey } from '../database/idempotency-keys.ts'

const DAY_MS = 86_400_000

function post(client: Client, path: string, key: string, body: unknown = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  return client.send('POST', path, { headers, body: JSON.stringify(body) })
}
const newProject = (client: Client, key: string, name = 'Once') =>
  post(client, '/v1/projects/new', key, { name })
const countProjects = async (client: Client) => (await client.get('/v1/projects')).body.total

describe.each(engines)('an Idempotency-Key on $name', (engine) => {
  const { at } = serverOn(engine)

  it('returns the first response again and does nothing a second time', async () => {
    const owner = await at().createCustomer()
    const first = await newProject(owner, 'a')
    const second = await newProject(owner, 'a')
    expect(second.status).toBe(200)
    expect(second.text).toBe(first.text)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(await countProjects(owner)).toBe(1)
  })

  it('returns an error again too, even when the request would succeed now', async () => {
    const owner = await at().createCustomer({ plan_expires: START - 1 })
    const first = await newProject(owner, 'b')
    expect(first.error.type).toBe('account_expired')
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { plan_expires: START + 1 })
    expect((await newProject(owner, 'b')).text).toBe(first.text)
    expect((await newProject(owner, 'b2')).status).toBe(200)
  })

  it('is rejected for a different request', async () => {
    const owner = await at().createCustomer()
    const project = (await newProject(owner, 'c')).string('project_id')
    for (const [path, body] of [
      ['/v1/projects/new', { name: 'Other' }],
      [`/customers/${owner.apiKey}/projects/new`, { name: 'Once' }],
      [`/projects/${project}/remove`, {}],
    ] as const) {
      expect((await post(owner, path, 'c', body)).error).toMatchObject({
        code: -1,
        type: 'idempotency_key_reused',
      })
    }
    expect(await countProjects(owner)).toBe(1)
  })

  it('returns the response of a removal again after the resource is gone', async () => {
    const [owner, other] = [await at().createCustomer(), await at().createCustomer()]
    const project = (await newProject(owner, 'r1')).string('project_id')
    const remove = (by: Owner, body = {}) => post(by, `/projects/${project}/remove`, 'r2', body)
    const answers = await Promise.all([remove(owner), remove(owner), remove(owner)])
    for (const answer of [...answers, await remove(owner)]) {
      expect(answer.status).toBe(200)
      expect(answer.text).toBe(answers[0]?.text)
    }
    for (const answer of [
      await remove(other),
      await post(owner, `/projects/${project}/remove`, 'r3', {}),
      await post(owner, `/projects/${project}/users/clear`, 'r2', {}),
    ])
      expect(answer.error.type).toBe('not_found')
  })

  it('is scoped to its account', async () => {
    const [one, other] = [await at().createCustomer(), await at().createCustomer()]
    const first = await newProject(one, 'd')
    expect((await newProject(other, 'd')).string('project_id')).not.toBe(first.string('project_id'))
  })

  it('makes concurrent requests wait for the first one', async () => {
    const owner = await at().createCustomer()
    const answers = await Promise.all(Array.from({ length: 20 }, () => newProject(owner, 'e')))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(await countProjects(owner)).toBe(1)
  })

  it('can be used for a new request after a day', async () => {
    const owner = await at().createCustomer()
    await newProject(owner, 'f')
    at().clock.now = START + DAY_MS - 1
    expect((await newProject(owner, 'f')).headers.get('idempotent-replayed')).toBe('true')
    at().clock.now = START + DAY_MS
    expect((await newProject(owner, 'f', 'Another')).status).toBe(200)
    expect(await countProjects(owner)).toBe(2)
    at().clock.now = START
  })

  it('is not used up by a malformed request', async () => {
    const owner = await at().createCustomer()
    expect((await post(owner, '/v1/projects/new', 'g', {})).error.type).toBe('invalid_request')
    expect((await newProject(owner, 'g')).status).toBe(200)
    for (const key of ['with blank', 'x'.repeat(256), ''])
      expect((await newProject(owner, key)).error).toMatchObject({
        type: 'invalid_request',
        failed: [{ field: 'Idempotency-Key' }],
      })
  })

  it.each([
    ['an API key', '/v1/account/reset', {}, 'api_key'],
    ['a token', '/v1/tokens/new', { name: 'ci', scopes: ['projects:read'] }, 'secret'],
  ])('creates %s once and never reveals the secret again', async (_, path, body, member) => {
    const owner = await at().createCustomer()
    const first = await post(owner, path, 'h', body)
    expect(first.string(member)).not.toBe('')
    const again = member === 'api_key' ? at().client(first.string(member)) : owner
    const second = await post(again, path, 'h', body)
    expect([second.status, second.error.type]).toEqual([409, 'idempotency_answer_lost'])
    expect((await again.get('/v1/tokens')).body.total).toBe(member === 'secret' ? 1 : 0)
    for (const row of await rowsOf(at(), 'idempotency_keys'))
      if (row.customer_id === owner.id) expect(row.body).toBeNull()
  })

  it('stores a response encrypted', async () => {
    const owner = await at().createCustomer()
    await newProject(owner, 'h', 'Unreadable')
    const rows = await rowsOf(at(), 'idempotency_keys')
    for (const row of rows) expect(Buffer.from(row.body ?? []).includes('project_id')).toBe(false)
  })

  it('is stored with its change, so an interrupted request is performed once', async () => {
    const owner = await at().createCustomer()
    await newProject(owner, 'i')
    const keyOf = (key: string) => findIdempotencyKey(at().deps.db.read, owner.id, key)
    await changeRows(at(), 'idempotency_keys', { key: 'i' }, { status: null, body: null })
    expect((await newProject(owner, 'i')).error).toMatchObject({
      type: 'idempotency_key_in_use',
      retry_after: 1,
    })
    at().clock.now = START + 300_000
    expect((await newProject(owner, 'i')).error.type).toBe('idempotency_answer_lost')
    at().clock.now = START
    expect(await countProjects(owner)).toBe(1)
    expect(await keyOf('i')).toMatchObject({ status: null })
  })
})

describe.each(engines)('the stored responses of one account on $name', (engine) => {
  const { at } = serverOn(engine)

  const store = async (owner: Owner, count: number, size: number, sender = '') => {
    const rows = Array.from({ length: count }, (_, index) => ({
      customer_id: owner.id,
      key: `stored-${sender}-${index}`,
      sender,
      request_hash: '',
      claim: '',
      created_at: START - 60_000,
      status: 200,
      size,
    }))
    for (let from = 0; from < count; from += 1000)
      await insertRows(at(), 'idempotency_keys', rows.slice(from, from + 1000))
  }
  const storedBytes = async (owner: Owner) => {
    const rows = await rowsOf(at(), 'idempotency_keys', { customer_id: owner.id })
    for (const { body, size } of rows) expect(size).toBe(body?.length ?? 0)
    return rows.reduce((sum, { size }) => sum + size, 0)
  }

  it('are limited to 10,000 keys: a new one is rejected and does nothing, a used one is replayed', async () => {
    const [owner, other] = [await at().createCustomer(), await at().createCustomer()]
    await store(owner, 9999, 0)
    const first = await newProject(owner, 'last')
    const refused = await newProject(owner, 'one-more')
    expect([refused.status, refused.error]).toMatchObject([
      429,
      { type: 'too_many_idempotency_keys', retry_after: 86_340 },
    ])
    expect(refused.headers.get('retry-after')).toBe('86340')
    expect((await newProject(owner, 'last')).text).toBe(first.text)
    expect(await countProjects(owner)).toBe(1)
    expect((await newProject(other, 'one-more')).status).toBe(200)
    at().clock.now = START + DAY_MS - 60_000
    expect((await newProject(owner, 'one-more')).status).toBe(200)
    at().clock.now = START
  })

  it('are limited to 5,000 keys of one token or member, so that others can still use theirs', async () => {
    const owner = await at().createCustomer()
    const make = async (name: string) => {
      const made = await owner.post('/v1/tokens/new', { name, scopes: ['projects:write'] })
      return { id: (made.body.token as { id: string }).id, client: at().client(made.string('secret')) }
    }
    const [flooding, other] = [await make('Flooding'), await make('Other')]
    await store(owner, 4999, 0, flooding.id)
    const first = await newProject(flooding.client, 'last')
    const refused = await newProject(flooding.client, 'one-more')
    expect([first.status, refused.status, refused.error]).toMatchObject([
      ...[200, 429],
      { type: 'too_many_idempotency_keys', retry_after: 86_340 },
    ])
    expect((await newProject(flooding.client, 'last')).text).toBe(first.text)
    for (const client of [other.client, owner]) {
      const made = await newProject(client, `by-${client === owner ? 'owner' : 'other'}`)
      expect(made.status).toBe(200)
    }
  })

  it('exclude responses over 64 KiB: a retry does nothing and gets `idempotency_answer_lost`', async () => {
    const owner = await at().createCustomer()
    const session_ids = Array.from({ length: 1000 }, (_, index) => `session-${index}-that-does-not-exist`)
    const ask = () => post(owner, '/v1/sessions/disconnect', 'long', { session_ids })
    const first = await ask()
    expect([first.status, first.text.length > 65_536]).toEqual([200, true])
    expect((await ask()).error.type).toBe('idempotency_answer_lost')
    expect(await storedBytes(owner)).toBe(0)
  })

  it('are limited to 16 MiB: beyond that a retry still does nothing', async () => {
    const owner = await at().createCustomer()
    await newProject(owner, 'before')
    expect(await storedBytes(owner)).toBeGreaterThan(0)
    await store(owner, 1, 16 * 1024 * 1024)
    expect((await newProject(owner, 'after')).status).toBe(200)
    expect((await newProject(owner, 'after')).error.type).toBe('idempotency_answer_lost')
    expect((await newProject(owner, 'before')).status).toBe(200)
    expect(await countProjects(owner)).toBe(2)
  })
})

describe('several processes', () => {
  it('perform a request once, no matter how many of them receive it concurrently', async () => {
    await onTwoProcesses(async (...servers) => {
      const owner = await servers[0].createCustomer()
      for (let round = 0; round < 10; round += 1) {
        const key = `round-${round}`
        const clients = servers.map((server) => server.client(owner.apiKey))
        const answers = await Promise.all([...clients, ...clients].map((client) => newProject(client, key)))
        const done = answers.filter(({ status }) => status === 200)
        expect(done.length).toBeGreaterThan(0)
        expect(new Set(done.map(({ text }) => text)).size).toBe(1)
        for (const { error } of answers) expect([undefined, 'idempotency_key_in_use']).toContain(error.type)
        expect(await countProjects(owner)).toBe(round + 1)
      }
    })
  })
})

describe.each(engines)('a server on $name', (engine) => {
  it('replays a response after a restart', async () => {
    const first = await startServer(engine)
    const { owner, project } = await createOwner(first)
    const path = `/projects/${project}/users/new`
    const made = await post(owner, path, 'kept', { note: 'once' })
    await first.stop()
    const second = await startServer(engine, { location: first.location })
    const again = await post(second.client(owner.apiKey), path, 'kept', { note: 'once' })
    expect(again.text).toBe(made.text)
    await second.close()
  })
})
