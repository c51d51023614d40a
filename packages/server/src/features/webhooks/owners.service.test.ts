/** Tests how a project's owner views and manages webhooks, and which events the webhooks send. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn, startServer } from '../../../test/harness.ts'
import { bindDevice, createUser } from '../../../test/nouns.ts'
import { rowsOf } from '../../../test/stored.ts'
import { deliver, ok, status, WEBHOOKS } from '../../../test/webhooks/receiver.ts'
import { scenes } from '../../../test/webhooks/scene.ts'
import { prune } from '../../jobs/prune.ts'

const HOUR_MS = 3_600_000

describe.each(anyEngine)("an owner's deliveries on $name", (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const scene = scenes(at)

  it('can be sent again under the same id', async () => {
    const { receiver, owner, project, deliveries } = await scene()
    await createUser(owner, project)
    await deliver(at())
    const [delivery] = await deliveries()
    const path = `/v1/projects/${project}/webhooks/deliveries/${delivery?.id}/redeliver`
    expect((await owner.post(path)).status).toBe(200)
    expect((await deliveries())[0]).toMatchObject({ state: 'pending' })
    await deliver(at())
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
      delivery?.id,
      delivery?.id,
    ])
    expect((await deliveries())[0]?.attempts).toHaveLength(2)
  })

  it('reveal no URL and no event data to a reader of the database in any state', async () => {
    const { receiver, owner, project, deliveries, webhook } = await scene()
    const key = await createUser(owner, project)
    await deliver(at())
    const note = 'a note that only the owner reads'
    await owner.post(`/v1/users/${key}/blacklist`, { expires: 0, reason: note })
    await owner.post(`/v1/projects/${project}/users/new`, { note })
    const rows = [
      await rowsOf(at(), 'projects', { id: project }),
      await rowsOf(at(), 'outbox', { project_id: project }),
      await rowsOf(at(), 'webhook_deliveries'),
    ]
    expect(rows.map((list) => list.length > 0)).toEqual([true, true, true])
    const address = new URL(receiver.url)
    for (const text of [receiver.url, address.host, address.pathname, key, note].filter(
      (one) => one.length > 1,
    ))
      expect(JSON.stringify(rows)).not.toContain(text)
    expect(await webhook()).toMatchObject({ address: address.href })
    expect((await deliveries('?state=delivered'))[0]?.attempts).toMatchObject([{ address: address.href }])
  })

  it('show when an endpoint last accepted a message, and nothing before its first attempt since it was saved', async () => {
    const { receiver, owner, project, webhook } = await scene()
    expect(await webhook()).toMatchObject({ state: 'active', last_delivered_at: null })
    await createUser(owner, project)
    receiver.answer(status(500))
    await deliver(at())
    expect(await webhook()).toMatchObject({ state: 'failing', last_delivered_at: null })
    receiver.answer(ok)
    at().clock.now += HOUR_MS
    await deliver(at())
    expect(await webhook()).toMatchObject({ state: 'active', last_delivered_at: at().clock.now })
    await owner.post(`/v1/projects/${project}/edit`, { information_webhook: `${receiver.url}other` })
    expect(await webhook()).toMatchObject({ state: 'active', last_delivered_at: null })
  })

  it('include tests, which are possible even while paused and end the pause when they succeed', async () => {
    const { receiver, owner, project, deliveries, webhook } = await scene(status(410))
    await createUser(owner, project)
    await deliver(at())
    receiver.answer(ok)
    const tested = await owner.post(`/v1/projects/${project}/webhooks/test`, { kind: 'information' })
    await deliver(at())
    expect(await deliveries('?type=webhook.test')).toMatchObject([
      { id: tested.string('delivery_id'), state: 'delivered' },
    ])
    expect(receiver.received.at(-1)?.body).toMatchObject({ data: { kind: 'information' } })
    expect(await webhook()).toMatchObject({ state: 'active' })
  })

  it('can be triggered six times a minute per endpoint, tests and redeliveries together', async () => {
    const server = await startServer(engine, { config: { ...WEBHOOKS, clientRates: 1 } })
    try {
      const { owner, project, deliveries } = await scenes(() => server)()
      const ask = (path: string, body = {}) => owner.post(`/v1/projects/${project}/webhooks${path}`, body)
      for (let n = 0; n < 3; n += 1) expect((await ask('/test', { kind: 'information' })).status).toBe(200)
      const again = `/deliveries/${(await deliveries())[0]?.id}/redeliver`
      for (let n = 0; n < 3; n += 1) expect((await ask(again)).status).toBe(200)
      for (const refused of [await ask(again), await ask('/test', { kind: 'information' })])
        expect([refused.status, refused.error]).toMatchObject([
          429,
          { type: 'rate_limited', retry_after: 10 },
        ])
      expect((await ask('/deliveries/none/redeliver')).status).toBe(404)
      server.clock.now += 10_000
      expect((await ask(again)).status).toBe(200)
    } finally {
      await server.close()
    }
  })

  it('are listed by state and type, paged, newest first', async () => {
    const { owner, project, deliveries } = await scene()
    for (let i = 0; i < 3; i += 1) await createUser(owner, project)
    await deliver(at())
    await owner.post(`/projects/${project}/users/resetall`)
    const all = await deliveries()
    expect(all.map(({ type }) => type)).toEqual([
      'users.fingerprint_reset_all',
      ...Array(3).fill('user.created'),
    ])
    expect(await deliveries('?state=pending')).toEqual(all.slice(0, 1))
    expect(await deliveries('?type=user.created')).toEqual(all.slice(1))
    expect(await deliveries('?from=1&limit=2')).toEqual(all.slice(1, 3))
    await deliver(at())
  })

  it('are deleted with the endpoint, and pending ones are dropped', async () => {
    const { receiver, owner, project, deliveries } = await scene()
    await createUser(owner, project)
    await owner.post(`/projects/${project}/edit`, { information_webhook: '' })
    await deliver(at())
    expect(receiver.received).toHaveLength(0)
    expect((await deliveries())[0]).toMatchObject({ state: 'dropped', next_attempt: null })
  })

  it('cover everything that is done to users', async () => {
    const { receiver, owner, project } = await scene()
    await owner.post(`/projects/${project}/edit`, { blacklist_webhook: `${receiver.url}?blacklist` })
    await doEverything(owner, project)
    at().clock.now += HOUR_MS
    await prune(at().deps, () => at().clock.now).run(new AbortController().signal)
    for (let round = 0; round < 5; round += 1) {
      await deliver(at())
      at().clock.now += 2000
    }
    const byAddress = Map.groupBy(receiver.received, ({ path }) => path)
    const typesOf = (path: string) =>
      byAddress
        .get(path)
        ?.map(({ body }) => body.type)
        .sort()
    expect(typesOf('/hook')).toEqual([
      'user.created',
      'user.fingerprint_reset',
      'user.linked',
      'users.compensated',
      'users.fingerprint_reset_all',
      'users.generated',
      'users.imported',
    ])
    expect(typesOf('/hook?blacklist')).toEqual([
      'user.blacklist_expired',
      'user.blacklisted',
      'user.blacklisted',
      'user.unblacklisted',
    ])
  })

  async function doEverything(owner: Owner, project: string): Promise<void> {
    const key = await createUser(owner, project)
    await bindDevice(at(), project, key)
    const post = async (path: string, body: object) =>
      expect((await owner.post(path, body)).error, path).toEqual({})
    await post(`/projects/${project}/users/generate`, { amount: 30 })
    await post(`/projects/${project}/users/import`, { users: [{ note: 'x' }, 5] })
    await post(`/users/${key}/reset`, { force: true })
    await post(`/users/${key}/link`, { chat_id: '123456', force: true })
    await post(`/projects/${project}/users/resetall`, {})
    await post(`/projects/${project}/users/compensate`, { duration: 1000, compensate_expired: false })
    await post(`/users/${key}/blacklist`, { reason: 'shared' })
    await post(`/users/${key}/unblacklist`, {})
    await post(`/users/${key}/blacklist`, { expires: String(at().clock.now + 1000) })
  }
})
