/**
 * Each change, and each read of a source, writes one audit entry in the same transaction, or none if it
 * fails.
 */
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import type { Browser } from '../../../test/people/browsers.ts'
import { makeReady, rightBody, rightQuery } from '../../../test/right-requests.ts'
import { rowsOf } from '../../../test/stored.ts'
import { type Furnished, furnish, pathOf } from '../../../test/subjects.ts'
import type { Endpoint } from '../../api/endpoint.ts'
import { endpoints } from '../../endpoints.ts'
import { chainAudit } from './chain-audit.ts'
import { writeRefusedRequests } from './refused-requests.ts'

/** Other tests cover the audit entries of requests with these credentials. */
const OTHERS: ReadonlySet<string> = new Set(['client', 'none', 'person', 'caller'])
/** Endpoints that need an ad provider or a mail server to succeed. */
const WITH_OTHERS = [
  ...['v1.adCheckpoints.createLink', 'admin.mail.test'],
  ...['v1.discord.connect', 'v1.discord.install'],
]
const HOOK = 'https://hooks.example.com/bot'
const audited = endpoints
  .filter(
    ({ name, method, changes = method !== 'GET', scope, auth }) =>
      (changes || scope === 'scripts:source') && !OTHERS.has(auth) && !WITH_OTHERS.includes(name),
  )
  .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)

describe.each(anyEngine)('the audit log on $name', (engine) => {
  // The server waits only briefly, because no client in these tests answers messages sent to its session.
  const { at } = serverOn(engine, { config: { sessionWaitMs: 100 } })
  const entries = () => rowsOf(at(), 'audit_entries', {}, 'seq')
  const numbered = () => at().deps.db.read.selectFrom('audit_entries')
  const lastEntry = async () => {
    const { last } = await numbered()
      .select((e) => e.fn.max<number | null>('seq').as('last'))
      .executeTakeFirstOrThrow()
    return last ?? 0
  }
  const entriesAfter = (last: number) =>
    numbered().selectAll().where('seq', '>', last).orderBy('seq').execute()
  const ask = (endpoint: Endpoint, client: Browser, nouns: Furnished['ids'], body: unknown) => {
    const { method } = endpoint
    return client.send(method, pathOf(endpoint, nouns) + rightQuery(endpoint), {
      headers: { 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    })
  }

  it.each(audited)('has one entry for a success and none for a failure: %s', async (_, endpoint) => {
    const { owner, ids } = await furnish(at(), { for: endpoint })
    const client = endpoint.auth === 'admin' ? at().admin : owner
    await makeReady(at(), endpoint, owner, ids)
    const before = await lastEntry()
    const body = rightBody(endpoint, ids)
    const answer = await ask(endpoint, client, ids, body)
    expect([answer.status, answer.error]).toEqual([200, {}])
    const made = await entriesAfter(before)
    expect(made.map(({ action }) => action)).toEqual([endpoint.name])
    const none = Object.fromEntries(Object.keys(ids).map((name) => [name, 'none']))
    const refused = await ask(endpoint, client, none, body)
    if (refused.status !== 200) expect(await entriesAfter(before)).toHaveLength(1)
  })

  it('records denied requests with sender, operation and network once an hour with a count, and none without a valid credential', async () => {
    const { owner, ids } = await furnish(at())
    const made = await owner.post('/v1/tokens/new', { name: 'reads', scopes: ['projects:read'] })
    const token = at().client(made.string('secret'))
    const { id } = made.body.token as { id: string }
    const before = await lastEntry()
    const remove = () => token.post(`/v1/projects/${ids.project_id}/remove`)
    for (let i = 0; i < 30; i++) expect((await remove()).error.type).toBe('forbidden')
    await at().client('sw_unknown').post(`/v1/projects/${ids.project_id}/remove`)
    await writeRefusedRequests(at().deps)
    for (let i = 0; i < 12; i++) await remove()
    expect((await owner.get('/v1/admin/customers')).error.type).toBe('forbidden')
    await writeRefusedRequests(at().deps)
    const written = await entriesAfter(before)
    expect(
      written.map(({ action, actor_kind, actor_id, network, changes, count }) => ({
        ...{ action, actor_kind, actor_id, network, count, changes: JSON.parse(changes) },
      })),
    ).toEqual([
      {
        ...{ action: 'refused', actor_kind: 'token', actor_id: id, network: '127.0.0.0/24', count: 42 },
        changes: { operation: { after: 'v1.projects.remove' }, reason: { after: 'forbidden' } },
      },
      {
        ...{ action: 'refused', actor_kind: 'api_key', actor_id: null, network: '127.0.0.0/24', count: 1 },
        changes: { operation: { after: 'admin.customers.list' }, reason: { after: 'forbidden' } },
      },
    ])
    at().clock.now += 3_600_000
    await remove()
    await writeRefusedRequests(at().deps)
    expect(await entriesAfter(before)).toHaveLength(3)
  })

  it('records a token that is used from a network outside its limit', async () => {
    const owner = await at().createCustomer()
    const made = await owner.post('/v1/tokens/new', {
      ...{ name: 'elsewhere', scopes: ['projects:read'], networks: ['203.0.113.0/24'] },
    })
    await at().client(made.string('secret')).get('/v1/projects')
    await writeRefusedRequests(at().deps)
    const { body } = await owner.get('/v1/audit?action=refused')
    expect(body.entries).toMatchObject([
      { actor: { kind: 'token', name: 'elsewhere' }, changes: { reason: { after: 'network_not_allowed' } } },
    ])
  })

  it('has at most a hundred entries of denied requests per account and hour', async () => {
    const { owner } = await furnish(at())
    const { refusedRequests } = at().deps
    const actor = { kind: 'person', id: 'psn_1', name: 'a@b.c' } as const
    const sent = {
      customerId: owner.id,
      actor,
      reason: 'forbidden',
      address: '127.0.0.1',
      requestId: 'r',
    } as const
    for (let i = 0; i < 500; i++)
      refusedRequests.count({ ...sent, operation: `operation ${i}` }, at().clock.now)
    await writeRefusedRequests(at().deps)
    const { body } = await owner.get('/v1/audit?action=refused&limit=1000')
    const all = body.entries as { count: number }[]
    expect(all).toHaveLength(100)
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(500)
  })

  it('rejects the change when the entry cannot be written', async () => {
    const { owner, ids } = await furnish(at())
    const { db } = at().deps
    const breaking = engine.name === 'SQLite' ? SQLITE_BREAK : POSTGRES_BREAK
    for (const statement of breaking.begin) await db.transaction((tx) => sql.raw(statement).execute(tx))
    try {
      const answer = await fetch(`${at().url}/v1/projects/${ids.project_id}/edit`, {
        method: 'POST',
        headers: { token: owner.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Never' }),
      })
      expect(answer.status).toBe(500)
    } finally {
      for (const statement of breaking.end) await db.transaction((tx) => sql.raw(statement).execute(tx))
    }
    const { body } = await owner.get(`/v1/projects/${ids.project_id}`)
    expect(body.project).toMatchObject({ name: 'Project' })
  })

  it('has one entry for a request that is repeated with its idempotency key', async () => {
    const { owner } = await furnish(at())
    const send = () =>
      owner.send('POST', '/v1/projects/new', {
        headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
        body: JSON.stringify({ name: 'Once' }),
      })
    const first = await send()
    const before = await lastEntry()
    expect((await send()).text).toBe(first.text)
    expect(await lastEntry()).toBe(before)
  })

  it('shows fields before and after, without secrets', async () => {
    const { owner, ids } = await furnish(at())
    await owner.post(`/v1/projects/${ids.project_id}/edit`, {
      name: 'Renamed',
      require_chat: true,
      allow_fingerprint_resets: true,
      support_url: null,
      information_webhook: 'https://hooks.example.com/top-secret',
    })
    const { body } = await owner.get('/v1/audit?action=v1.projects.edit')
    const [entry] = body.entries as { changes: object; nouns: object; actor: object; network: string }[]
    expect(entry?.changes).toEqual({
      name: { before: 'Project', after: 'Renamed' },
      require_chat: { before: false, after: true },
      information_webhook: { before: null, after: '•••' },
    })
    expect(entry?.nouns).toEqual({ project_id: ids.project_id })
    expect(entry?.network).toBe('127.0.0.0/24')
  })

  it('shows the fields of a plan, a channel, an error and a webhook, not those of their project or script', async () => {
    const { owner, ids } = await furnish(at())
    const { project_id, script_id } = ids
    const changesOf = async (action: string) => {
      const { body } = await owner.get(`/v1/audit?action=${action}&limit=1`)
      return (body.entries as { changes: object }[])[0]?.changes
    }
    const made = await owner.post(`/v1/projects/${project_id}/plans/new`, {
      ...{ name: 'Gold', max_executions: 5, clock: { basis: 'creation', duration: 1000 } },
    })
    const edit = { name: 'Project', max_executions: null, max_instances: null, resellable: false }
    const clock = { basis: 'creation', duration: 2000 }
    await owner.post(`/v1/plans/${made.string('plan_id')}/edit`, { ...edit, clock })
    expect(await changesOf('v1.plans.edit')).toEqual({
      name: { before: 'Gold', after: 'Project' },
      max_executions: { before: 5, after: null },
      clock: { before: { basis: 'creation', duration: 1000 }, after: clock },
    })
    const channel = `/v1/scripts/${script_id}/channels/night`
    expect((await owner.post(channel, { tags: ['tester'], version: 1 })).status).toBe(200)
    expect(await changesOf('v1.channels.set')).toEqual({ tags: { after: ['tester'] }, version: { after: 1 } })
    expect((await owner.post(channel, { tags: ['early'], version: 1 })).status).toBe(200)
    expect(await changesOf('v1.channels.set')).toEqual({ tags: { before: ['tester'], after: ['early'] } })
    const error = `/v1/scripts/${script_id}/errors/${ids.error_id}/edit`
    expect((await owner.post(error, { state: 'open', note: 'soon' })).status).toBe(200)
    await owner.post(error, { state: 'resolved', note: null })
    expect(await changesOf('v1.scriptErrors.edit')).toEqual({
      state: { before: 'open', after: 'resolved' },
      note: { before: 'soon', after: null },
    })
    const hooks = `/v1/projects/${project_id}/webhooks`
    const hook = await owner.post(`${hooks}/new`, { name: 'Bot', address: HOOK, events: ['user.edited'] })
    const { id } = hook.body.webhook as { id: string }
    expect((await owner.post(`${hooks}/${id}/edit`, { events: null })).status).toBe(200)
    expect(await changesOf('v1.webhooks.edit')).toEqual({ events: { before: ['user.edited'], after: null } })
    await owner.post(`/v1/scripts/${script_id}/toggle`, { state: false })
    expect(await changesOf('v1.scripts.toggle')).toEqual({ state: { after: false } })
    await owner.post(`/v1/scripts/${script_id}/traceback`, { text: 'x:1: no', version: 1 })
    expect(await changesOf('v1.scripts.traceback')).toEqual({ text: { after: '•••' }, version: { after: 1 } })
  })

  it('never contains a key or a secret', async () => {
    const { owner, ids } = await furnish(at())
    const { project_id, user_key = '', script_id, checkpoint_id } = ids
    const key = (await owner.post(`/v1/projects/${project_id}/users/new`, { note: owner.apiKey })).string(
      'user_key',
    )
    await owner.post(`/v1/users/${user_key}/edit`, { note: 'x' })
    await owner.post(`/v1/projects/${project_id}/sessions/disconnect`, { user_key })
    await owner.post(`/v1/projects/${project_id}/sessions/message`, {
      key: 'say',
      data: { it: 'secret-data' },
    })
    await owner.post(`/v1/projects/${project_id}/users/import`, { users: [{ key: 'imported-key-1' }] })
    await owner.post(`/v1/scripts/${script_id}/trace`, { text: 'secret-text' })
    await owner.post(`/v1/adcheckpoints/${checkpoint_id}/edit`, { provider_data: { link_id: 'link-4711' } })
    const csv = 'key,note\nimported-key-2,first'
    expect((await owner.post(`/v1/projects/${project_id}/users/import`, { csv })).status).toBe(200)
    const source = "return function() return 'secret-price' end"
    expect((await owner.put(`/v1/scripts/${script_id}/functions/price`, { source })).status).toBe(200)
    const bulk = { action: 'tag', tags: ['vip'], filter: { search: 'imported-key-3' } }
    expect((await owner.post(`/v1/projects/${project_id}/users/bulk`, bulk)).status).toBe(200)
    const mine = (await entries()).filter(({ customer_id }) => customer_id === owner.id)
    const text = JSON.stringify(mine)
    expect(mine.length).toBeGreaterThan(6)
    for (const secret of [
      key,
      user_key,
      owner.apiKey,
      'secret-data',
      'imported-key-1',
      'imported-key-2',
      'imported-key-3',
      'secret-price',
      'secret-text',
      'link-4711',
    ])
      expect(text).not.toContain(secret)
    expect(text).toContain(`${key.slice(0, 4)}…`)
  })

  it('names created resources, and the number of rows that a bulk change affected', async () => {
    const { owner, ids } = await furnish(at())
    const { project_id } = ids
    await owner.post(`/v1/projects/${project_id}/users/generate`, { amount: 3 })
    await owner.post(`/v1/projects/${project_id}/users/purge`)
    const { body } = await owner.get('/v1/audit')
    const all = body.entries as { action: string; count: number | null; nouns: Record<string, string> }[]
    expect(all.slice(0, 2).map(({ action, count }) => [action, count])).toEqual([
      ['v1.projectUsers.purge', 3],
      ['v1.projectUsers.generate', 3],
    ])
    expect(all.find(({ action }) => action === 'v1.adSystems.create')?.nouns.system_id).toBe(ids.system_id)
    expect(all.find(({ action }) => action === 'v1.projects.create')?.nouns.project_id).toBe(project_id)
  })

  it('is paged, supports each filter, and is visible only to its account', async () => {
    const { owner, ids } = await furnish(at())
    const other = await furnish(at())
    while (await chainAudit(at().deps).run(new AbortController().signal));
    const read = async (query: string) => {
      const { body } = await owner.get(`/v1/audit?${query}`)
      return { all: body.entries as { id: string; action: string }[], next: body.next as string | null }
    }
    const whole = await read('limit=1000')
    const parts: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const part = await read(`limit=2${next && `&cursor=${next}`}`)
      parts.push(...part.all.map(({ id }) => id))
      next = part.next
    }
    expect(parts).toEqual(whole.all.map(({ id }) => id))
    expect((await read(`noun=${ids.system_id}`)).all.length).toBeGreaterThan(2)
    expect((await read(`noun=${other.ids.system_id}`)).all).toEqual([])
    expect((await read('action=v1.webhooks.test')).all).toHaveLength(1)
    expect((await read('actor=api_key')).all).toEqual(whole.all)
    expect((await read('token=tok_none')).all).toEqual([])
    expect((await read(`from=${at().clock.now + 1}`)).all).toEqual([])
    expect((await read(`to=${at().clock.now}`)).all).toEqual(whole.all)
    expect((await owner.get('/v1/audit?cursor=x')).error.type).toBe('invalid_request')
    const seen = await at().admin.get(`/v1/admin/audit?account=${owner.id}&limit=1000`)
    expect((seen.body.entries as unknown[]).length).toBe(whole.all.length)
  })

  it.each(['key_Qk3nV8zTb1yHc5Lw', '4711471147114711', 'Qk3nV8zTb1yHc5Lw'])(
    'finds the entries of a key by its start, whatever it looks like: %s',
    async (key) => {
      const { owner, ids } = await furnish(at())
      await owner.post(`/v1/projects/${ids.project_id}/users/import`, { users: [{ key }] })
      expect((await owner.post(`/v1/users/${key}/edit`, { note: 'first' })).status).toBe(200)
      while (await chainAudit(at().deps).run(new AbortController().signal));
      const { body } = await owner.get(`/v1/audit?noun=${key}`)
      expect(body.entries).toMatchObject([{ action: 'v1.users.edit' }])
      expect((await owner.get(`/v1/audit?noun=${key.slice(0, 4)}…`)).body.entries).toEqual(body.entries)
    },
  )

  it('exports CSV in which no cell is a formula', async () => {
    const { owner, ids } = await furnish(at())
    await owner.post(`/v1/projects/${ids.project_id}/edit`, { name: '=1+1' })
    const answer = await owner.get('/v1/audit?format=csv')
    expect(answer.headers.get('content-type')).toContain('text/csv')
    const lines = answer.text.trimEnd().split('\r\n')
    expect(lines[0]).toMatch(/^"created_at","actor_kind"/)
    expect(lines[1]).toContain('"v1.projects.edit"')
    expect(answer.text).not.toMatch(/(^|,)"?[=+@]/m)
  })
})

const REFUSE = 'no entry'
const SQLITE_BREAK = {
  begin: [
    `create trigger no_audit before insert on audit_entries begin select raise(abort, '${REFUSE}'); end`,
  ],
  end: ['drop trigger no_audit'],
}
const POSTGRES_BREAK = {
  begin: [
    `create function no_audit() returns trigger language plpgsql as $$ begin raise exception '${REFUSE}'; end $$`,
    'create trigger no_audit before insert on audit_entries for each row execute function no_audit()',
  ],
  end: ['drop trigger no_audit on audit_entries', 'drop function no_audit'],
}
