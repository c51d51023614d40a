/** Replaying events since a point in time: every event in the log is replayed once, under its original ID. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createUser } from '../../../test/nouns.ts'
import { addressesOf, addressScenes } from '../../../test/webhooks/addresses.ts'
import { deliver, ok, type Received, status, WEBHOOKS } from '../../../test/webhooks/receiver.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const USER = { key: 'k'.repeat(32), chat_id: null, note: null, executions: 0, key_expires: null }
const DATA = JSON.stringify({ user: USER, actor: 'owner' })

describe.each(anyEngine)('events replayed since a time on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const { receive, begin, beginWithTwo } = addressScenes(at)

  /** In the order of their arrival, which is undefined for messages that are sent together. */
  const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers['webhook-id'])

  it('are sent to one endpoint under their ids, and to no other', async () => {
    const { first, second, owned, hooks, id } = await beginWithTwo()
    await createUser(owned.owner, owned.project)
    await deliver(at())
    at().clock.now += MINUTE_MS
    const since = at().clock.now
    for (let i = 0; i < 2; i += 1) await createUser(owned.owner, owned.project)
    await deliver(at())
    const answer = await hooks.call(id, 'recover', { since })
    expect(answer.body).toEqual({ success: true, recovered: 2, left_out: 0 })
    await deliver(at())
    expect(first.received).toHaveLength(3)
    expect(idsOf(second.received.slice(3)).sort()).toEqual(idsOf(second.received.slice(1, 3)).sort())
    expect((await hooks.sent(`?webhook_id=${id}`)).map(({ state }) => state)).toEqual(
      Array(3).fill('delivered'),
    )
  })

  it('are also sent to a built-in endpoint, limited to its kind', async () => {
    const { first, owned, hooks } = await beginWithTwo()
    const key = await createUser(owned.owner, owned.project)
    await owned.owner.post(`/users/${key}/blacklist`, { reason: 'shared' })
    await deliver(at())
    const { body } = await hooks.call('information', 'recover', { since: 0 })
    expect(body).toMatchObject({ recovered: 1 })
    await deliver(at())
    expect(first.received.map((one) => one.body.type)).toEqual(['user.created', 'user.created'])
  })

  it('are not sent when there is no URL', async () => {
    const { call } = addressesOf(await createOwner(at()))
    expect((await call('information', 'recover', { since: 0 })).error.type).toBe('no_webhook_address')
  })

  it('reach an endpoint that did not exist yet once, as its filters allow', async () => {
    const [first, second] = [await receive(), await receive()]
    const owned = await createOwner(at(), {}, { information_webhook: first.url })
    const hooks = addressesOf(owned)
    await hooks.added({ name: 'Third', address: first.url })
    for (let i = 0; i < 2; i += 1) await createUser(owned.owner, owned.project)
    await owned.owner.post(`/projects/${owned.project}/users/generate`, { amount: 2 })
    await deliver(at())
    const { id } = await hooks.added({ address: second.url, events: ['user.created'] })
    expect((await hooks.call(id, 'recover', { since: 0 })).body).toMatchObject({ recovered: 2 })
    await deliver(at())
    expect(idsOf(second.received).sort()).toEqual(
      [...new Set(idsOf(first.received.filter(({ body }) => body.type === 'user.created')))].sort(),
    )
    expect((await hooks.call(id, 'recover', { since: 0 })).body).toMatchObject({ recovered: 2 })
    expect(await hooks.sent(`?webhook_id=${id}`)).toHaveLength(2)
  })

  it('reach a paused endpoint and end the pause when it responds', async () => {
    const [broken, whole] = [await receive(status(410)), await receive()]
    const owned = await createOwner(at(), {}, { information_webhook: whole.url })
    const hooks = addressesOf(owned)
    const { id } = await hooks.added({ address: broken.url })
    for (let i = 0; i < 3; i += 1) {
      await createUser(owned.owner, owned.project)
      await deliver(at())
    }
    expect(await hooks.find(id)).toMatchObject({ state: 'disabled' })
    broken.answer(ok)
    expect((await hooks.call(id, 'recover', { since: 0 })).body).toMatchObject({ recovered: 3 })
    await deliver(at())
    expect(new Set(idsOf(broken.received))).toEqual(new Set(idsOf(whole.received)))
    expect(await hooks.find(id)).toMatchObject({ state: 'active' })
  })

  it('can be limited to undelivered ones', async () => {
    const { receiver, owned, hooks, id } = await begin()
    await createUser(owned.owner, owned.project)
    await deliver(at())
    receiver.answer(status(500))
    await createUser(owned.owner, owned.project)
    await deliver(at())
    receiver.answer(ok)
    at().clock.now += DAY_MS
    const asked = { since: 0, undelivered_only: true }
    expect((await hooks.call(id, 'recover', asked)).body).toMatchObject({ recovered: 1 })
    await deliver(at())
    const [first, second, third] = idsOf(receiver.received)
    expect([second === first, third === second]).toEqual([false, true])
  })

  it('exclude tests and older events', async () => {
    const { owned, hooks, id } = await begin()
    await createUser(owned.owner, owned.project)
    await owned.owner.post(`${hooks.path}/test`, { webhook_id: id })
    await deliver(at())
    const later = at().clock.now + 1
    expect((await hooks.call(id, 'recover', { since: later })).body).toMatchObject({ recovered: 0 })
    expect((await hooks.call(id, 'recover', { since: 0 })).body).toMatchObject({ recovered: 1 })
  })

  it('are limited to the newest five hundred for Discord, and the response counts the rest', async () => {
    const receiver = await receive()
    const owned = await createOwner(at())
    const hooks = addressesOf(owned)
    const { id } = await hooks.added({ address: receiver.chatUrl })
    const { secrets, now, db } = at().deps
    const event = { project_id: owned.project, kind: id as 'whk_', type: 'user.created', attempts: 1 }
    const rows = Array.from({ length: 510 }, (_, i) => ({
      ...event,
      id: `${owned.project}-${i}.${id}`,
      event_id: `${owned.project}-${i}`,
      data: secrets.sealText('event', `${owned.project}-${i}`, DATA),
      state: 'delivered' as const,
      created_at: now() - 510 + i,
      queued_at: now(),
      due_at: null,
    }))
    await db.transaction((tx) => tx.insertInto('outbox').values(rows).execute())
    const answer = await hooks.call(id, 'recover', { since: 0 })
    expect(answer.body).toMatchObject({ recovered: 500, left_out: 10 })
    const left = await db.read
      .selectFrom('outbox')
      .select(['created_at', 'due_at'])
      .where('project_id', '=', owned.project)
      .orderBy('created_at')
      .execute()
    expect(left.map(({ due_at }) => due_at === null)).toEqual([
      ...Array(10).fill(true),
      ...Array(500).fill(false),
    ])
  })

  it('are retained by the thousand per endpoint, so that a busy one takes nothing from another', async () => {
    const [busy, quiet] = [await receive(), await receive()]
    const owned = await createOwner(at())
    const hooks = addressesOf(owned)
    const { id: ofQuiet } = await hooks.added({ address: quiet.url, events: ['users.generated'] })
    await owned.owner.post(`/projects/${owned.project}/users/generate`, { amount: 1 })
    const { id: ofBusy } = await hooks.added({ address: busy.url, events: ['user.created'] })
    await deliver(at())
    const { secrets, now, db } = at().deps
    for (let start = 0; start < 1100; start += 100) {
      const rows = Array.from({ length: 100 }, (_, i) => ({
        id: `${owned.project}-${start + i}.${ofBusy}`,
        event_id: `${owned.project}-${start + i}`,
        project_id: owned.project,
        kind: ofBusy as 'whk_',
        type: 'user.created',
        data: secrets.sealText('event', `${owned.project}-${start + i}`, DATA),
        ...(start < 1000
          ? { state: 'delivered' as const, due_at: null }
          : { state: 'pending' as const, due_at: now() }),
        ...{ attempts: 0, created_at: now(), queued_at: now() },
      }))
      await db.transaction((tx) => tx.insertInto('outbox').values(rows).execute())
    }
    await deliver(at())
    const total = async (id: string) =>
      (await owned.owner.get(`${hooks.path}/deliveries?limit=0&webhook_id=${id}`)).body.total as number
    expect(busy.received).toHaveLength(100)
    expect(await total(ofQuiet)).toBe(1)
    expect(await total(ofBusy)).toBeLessThan(1100)
    expect(await total(ofBusy)).toBeGreaterThanOrEqual(1000)
  })
})
