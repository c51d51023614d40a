/**
 * Webhook events for expiring and expired keys: which keys they announce, and that each is announced once.
 */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../test/harness.ts'
import { createProject } from '../../../test/nouns.ts'
import { rowsOf } from '../../../test/stored.ts'
import { addressesOf } from '../../../test/webhooks/addresses.ts'
import { deliver, WEBHOOKS } from '../../../test/webhooks/receiver.ts'
import { scenes, type WebhookScene } from '../../../test/webhooks/scene.ts'
import type { Database } from '../../database/engine/db.ts'
import { announceEnds } from './announce-ends.ts'
import { deleteExpiredUsers } from './delete-expired-users.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SIGNAL = new AbortController().signal

describe.each(anyEngine)('key expiry events on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const scene = scenes(at)
  let one: WebhookScene
  beforeEach(async () => {
    at().clock.now = START
    one = await scene()
    await announce()
  })

  const worker = (db: Database = at().deps.db) =>
    announceEnds({ db, random: randomBytes, secrets: at().deps.secrets }, () => at().clock.now)
  async function announce(): Promise<void> {
    const all = worker()
    while (await all.run(SIGNAL));
  }
  async function expire(): Promise<void> {
    const all = deleteExpiredUsers(at().deps, () => at().clock.now)
    while (await all.run(SIGNAL));
  }
  const later = (ms: number) => {
    at().clock.now += ms
    return announce()
  }
  const create = async (members: object, project = one.project) =>
    (await one.owner.post(`/v1/projects/${project}/users/new`, members)).string('user_key')
  const sell = (days: number, members: object = {}, project = one.project) =>
    create({ key_expires: at().clock.now + days * DAY, ...members }, project)
  const set = (members: object, project = one.project) =>
    one.owner.post(`/v1/projects/${project}/edit`, members)
  const post = (key: string, deed: string, body: object = {}) =>
    one.owner.post(`/v1/users/${key}/${deed}`, body)

  /** Returns the sorted types and keys of all expiry events. */
  async function told(owner: Owner = one.owner, project = one.project): Promise<string[]> {
    const types = ['user.expired', 'user.expiring']
    const lists = await Promise.all(
      types.map((type) => addressesOf({ owner, project }).sent(`?type=${type}&limit=1000`)),
    )
    const bodies = lists.flat() as unknown as { type: string; body: string }[]
    return bodies.map(({ type, body }) => `${type.slice(5)} ${JSON.parse(body).data.user.key}`).toSorted()
  }

  it('are sent once three days before expiry and once at expiry', async () => {
    const key = await sell(10)
    await later(7 * DAY - 1)
    expect(await told()).toEqual([])
    await later(1)
    expect(await told()).toEqual([`expiring ${key}`])
    await later(3 * DAY - 1)
    expect(await told()).toEqual([`expiring ${key}`])
    await later(1)
    await later(DAY)
    expect(await told()).toEqual([`expired ${key}`, `expiring ${key}`])
    await deliver(at())
    const bodies = one.receiver.received.map(({ body }) => body)
    // Messages that are sent together arrive in any order.
    const byTime = bodies.toSorted((a, b) => String(a.timestamp).localeCompare(String(b.timestamp)))
    expect(byTime).toMatchObject([
      { type: 'user.created' },
      { type: 'user.expiring', data: { user: { key, key_expires: START + 10 * DAY }, actor: 'service' } },
      { type: 'user.expired', data: { user: { key }, actor: 'service', runs_until: START + 10 * DAY } },
    ])
  })

  it("are sent as early as the project's setting, and not in advance if it is 0", async () => {
    await set({ expiring_lead: DAY })
    const [key, other] = [await sell(10), await sell(30)]
    await later(8 * DAY)
    expect(await told()).toEqual([])
    await later(DAY)
    expect(await told()).toEqual([`expiring ${key}`])
    await set({ expiring_lead: 0 })
    await later(20 * DAY)
    await later(DAY)
    expect(await told()).toEqual([`expired ${key}`, `expired ${other}`, `expiring ${key}`].toSorted())
  })

  it('are sent again after an extension, with the end of the grace period', async () => {
    const made = await one.owner.post(`/v1/projects/${one.project}/plans/new`, { name: 'Pro', grace: HOUR })
    const key = await sell(10, { plan_id: made.string('plan_id') })
    await later(8 * DAY)
    await post(key, 'extend', { duration: 10 * DAY })
    await later(4 * DAY)
    expect(await told()).toEqual([`expiring ${key}`])
    await later(5 * DAY)
    await later(3 * DAY)
    expect(await told()).toEqual([`expired ${key}`, `expiring ${key}`, `expiring ${key}`])
    await deliver(at())
    const expired = one.receiver.received.find(({ body }) => body.type === 'user.expired')
    expect(expired?.body).toMatchObject({ data: { runs_until: START + 20 * DAY + HOUR } })
  })

  it('are not sent for keys that are paused, blacklisted, removed or waiting for their first use', async () => {
    const [paused, banned, removed] = [await sell(10), await sell(10), await sell(10)]
    const clock = { basis: 'first_use', duration: DAY }
    await create({ clock })
    await post(paused, 'pause')
    await post(banned, 'blacklist', { expires: 0 })
    await post(removed, 'remove')
    await later(8 * DAY)
    await later(8 * DAY)
    expect(await told()).toEqual([])
    await post(paused, 'resume')
    await later(7 * DAY)
    expect(await told()).toEqual([`expiring ${paused}`])
  })

  it('are not sent in advance for a key created with less time than that', async () => {
    const key = await sell(1)
    await later(0)
    await later(2 * DAY)
    expect(await told()).toEqual([`expired ${key}`])
  })

  it('are not sent for earlier expiries when a project subscribes', async () => {
    const project = await createProject(one.owner)
    const add = (days: number) => sell(days, {}, project)
    await add(1)
    await add(2)
    const next = await add(5)
    await later(4 * DAY)
    await set({ information_webhook: one.receiver.url }, project)
    await announce()
    expect(await told(one.owner, project)).toEqual([])
    await later(DAY)
    expect(await told(one.owner, project)).toEqual([`expired ${next}`])
    await set({ information_webhook: '' }, project)
    await announce()
    const left = await rowsOf(at(), 'expiry_watches', { project_id: project })
    expect(left).toEqual([])
  })

  it('are sent to a custom endpoint that subscribed, and nothing is queried if none did', async () => {
    const project = await createProject(one.owner)
    await addressesOf({ owner: one.owner, project }).added({
      address: one.receiver.url,
      events: ['user.expired'],
    })
    await announce()
    const key = await sell(4, {}, project)
    await later(2 * DAY)
    await later(2 * DAY)
    expect(await told(one.owner, project)).toEqual([`expired ${key}`])
    const watches = await rowsOf(at(), 'expiry_watches', { project_id: project })
    expect(watches).toMatchObject([{ type: 'user.expired' }])
  })

  it('are sent before expired users are deleted', async () => {
    await set({ delete_expired_users: true })
    const key = await sell(1)
    at().clock.now += 2 * DAY
    await expire()
    expect((await one.owner.get(`/users/${key}`)).status).toBe(200)
    await announce()
    await expire()
    expect((await one.owner.get(`/users/${key}`)).status).toBe(404)
    expect(await told()).toEqual([`expired ${key}`])
  })

  it('are sent once for many keys with the same expiry date, even with several processes and after a long downtime', async () => {
    const body = { amount: 450, keys_expire: START + 10 * DAY }
    await one.owner.post(`/v1/projects/${one.project}/users/generate`, body)
    at().clock.now += 12 * DAY
    const loops = Array.from({ length: 4 }, async () => {
      const mine = worker()
      while (await mine.run(SIGNAL));
    })
    await Promise.all(loops)
    await announce()
    const rows = await at()
      .deps.db.read.selectFrom('outbox')
      .select('type')
      .where('project_id', '=', one.project)
      .where('type', 'in', ['user.expired', 'user.expiring'])
      .execute()
    expect(rows).toHaveLength(450)
    expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['user.expired']))
  })

  it('are sent completely or not at all if a process crashes', async () => {
    const key = await sell(1)
    at().clock.now += DAY
    const killed = new Error('killed before the commit')
    const { db } = at().deps
    const dying: Database = {
      ...db,
      read: db.read,
      transaction: (change) =>
        db.transaction(async (tx) => {
          await change(tx)
          throw killed
        }),
    }
    await expect(worker(dying).run(SIGNAL)).rejects.toBe(killed)
    expect(await told()).toEqual([])
    await announce()
    expect(await told()).toEqual([`expired ${key}`])
  })
})
