/** A bulk change affects each user as a single change would, and can be previewed and undone. */
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../test/harness.ts'
import { createOwner, readUser } from '../../../test/nouns.ts'

const DAY = 86_400_000
const CLOCK = ['plan_id', 'key_expires', 'clock', 'has_own_clock', 'paused', 'starts_at', 'status'] as const

describe.each(engines)('bulk changes on $name', (engine) => {
  const { at } = serverOn(engine)
  let owner: Owner
  let project: string
  beforeEach(async () => {
    at().clock.now = START
    ;({ owner, project } = await createOwner(at()))
  })

  const plan = async (members: object, name: string) =>
    (await owner.post(`/v1/projects/${project}/plans/new`, { name, ...members })).string('plan_id')
  const sell = async (members: object = {}) =>
    (await owner.post(`/v1/projects/${project}/users/new`, members)).string('user_key')
  const bulk = async (members: object) => {
    const { status, body, error } = await owner.post(`/v1/projects/${project}/users/bulk`, members)
    expect([status, error]).toEqual([200, {}])
    return body
  }
  const undo = async (id: unknown) =>
    expect((await owner.post(`/v1/changes/${id}/undo`)).body.change).toMatchObject({
      state: 'undone',
      skipped: 0,
    })
  const clockOf = async (key: string) => {
    const user = await readUser(owner, key)
    return Object.fromEntries(CLOCK.map((member) => [member, user[member]]))
  }

  it('move users to a plan and out of it as an edit does, for every kind of clock', async () => {
    const old = await plan({ clock: { basis: 'creation', duration: 20 * DAY } }, 'Old')
    const waiting = await plan({ clock: { basis: 'first_use', duration: 20 * DAY } }, 'Waiting')
    const kinds = [
      {},
      { key_expires: START + 5 * DAY },
      { plan_id: old },
      { plan_id: old, key_expires: START + 5 * DAY },
      { plan_id: waiting },
      { plan_id: waiting, starts_at: START + 9 * DAY },
      { plan_id: old, clock: { basis: 'creation', duration: 3 * DAY } },
      { clock: { basis: 'first_use', duration: 3 * DAY } },
    ]
    const pairs: [string, string][] = []
    for (const kind of kinds) pairs.push([await sell(kind), await sell(kind)])
    for (const key of pairs.flat()) await owner.post(`/v1/users/${key}/extend`, { duration: DAY })
    at().clock.now += 2 * DAY
    const targets = [
      await plan({ clock: { basis: 'creation', duration: 7 * DAY } }, 'Week'),
      await plan({ clock: { basis: 'first_use', duration: 7 * DAY } }, 'From first use'),
      await plan({ clock: { basis: 'creation', duration: null } }, 'For ever'),
      '',
    ]
    for (const plan_id of targets) {
      const before = await Promise.all(pairs.map(([one]) => clockOf(one)))
      const { change_id } = await bulk({ keys: pairs.map(([one]) => one), action: 'plan', plan_id })
      for (const [, other] of pairs) await owner.post(`/v1/users/${other}/edit`, { plan_id })
      for (const [index, [one, other]] of pairs.entries())
        expect([plan_id, index, await clockOf(one)]).toEqual([plan_id, index, await clockOf(other)])
      if (change_id === undefined) continue
      const after = await Promise.all(pairs.map(([one]) => clockOf(one)))
      await undo(change_id)
      expect(await Promise.all(pairs.map(([one]) => clockOf(one)))).toEqual(before)
      await bulk({ keys: pairs.map(([one]) => one), action: 'plan', plan_id })
      expect(await Promise.all(pairs.map(([one]) => clockOf(one)))).toEqual(after)
    }
  })

  it('pause and resume keys with their remaining time, except expired ones', async () => {
    const [key, ended] = [
      await sell({ key_expires: START + 5 * DAY }),
      await sell({ key_expires: START + 1 }),
    ]
    const free = await sell()
    at().clock.now += DAY
    const all = { keys: [key, ended, free] }
    const dry = await bulk({ ...all, action: 'pause', dry_run: true })
    expect(dry).toMatchObject({ count: 2 })
    expect(await bulk({ ...all, action: 'pause' })).toMatchObject({
      count: 2,
      entries: [
        { user_key: key, verdict: 'changed' },
        { user_key: ended, verdict: 'unchanged' },
        { user_key: free, verdict: 'changed' },
      ],
    })
    expect(await readUser(owner, key)).toMatchObject({ status: 'paused', paused: { left: 4 * DAY } })
    at().clock.now += 10 * DAY
    const { change_id } = await bulk({ filter: { status: 'paused' }, action: 'resume' })
    expect(await readUser(owner, key)).toMatchObject({ paused: null, key_expires: START + 15 * DAY })
    expect(await readUser(owner, free)).toMatchObject({ paused: null, key_expires: null })
    await undo(change_id)
    expect(await readUser(owner, key)).toMatchObject({ status: 'paused', key_expires: START + 5 * DAY })
  })

  it('append tags to existing ones, and remove tags', async () => {
    const [key, none, full] = [
      await sell({ tags: ['vip', 'old "one"'] }),
      await sell(),
      await sell({ tags: Array.from({ length: 31 }, (_, i) => `t${i}`) }),
    ]
    const keys = [key, none, full]
    const tagged = await bulk({ keys, action: 'tag', tags: [' new ', 'vip', "d'accord"] })
    expect(tagged).toMatchObject({ count: 2 })
    const tagsOf = async (of: string) => (await readUser(owner, of)).tags
    expect(await tagsOf(key)).toEqual(['vip', 'old "one"', 'new', "d'accord"])
    expect(await tagsOf(none)).toEqual(['new', 'vip', "d'accord"])
    expect(await tagsOf(full)).toHaveLength(31)
    expect(await bulk({ keys, action: 'tag', tags: ['new', 'vip'] })).toMatchObject({ count: 0 })
    const found = await owner.get(`/v1/projects/${project}/users/filter?tag=new`)
    expect(found.body.users).toHaveLength(2)
    const { change_id } = await bulk({
      filter: { tag: 'new' },
      action: 'untag',
      tags: ['new', 'vip', "d'accord"],
    })
    expect([await tagsOf(key), await tagsOf(none)]).toEqual([['old "one"'], []])
    await undo(change_id)
    expect(await tagsOf(key)).toEqual(['vip', 'old "one"', 'new', "d'accord"])
    await undo(tagged.change_id)
    expect([await tagsOf(key), await tagsOf(none)]).toEqual([['vip', 'old "one"'], []])
  })

  it('extend keys whose clock is waiting for the first use', async () => {
    const waiting = await plan({ clock: { basis: 'first_use', duration: 20 * DAY } }, 'Waiting')
    const key = await sell({ plan_id: waiting })
    expect(await bulk({ keys: [key], action: 'extend', duration: DAY })).toMatchObject({ count: 1 })
    await owner.post(`/v1/plans/${waiting}/edit`, { clock: { basis: 'creation', duration: 20 * DAY } })
    expect(await readUser(owner, key)).toMatchObject({ key_expires: START + 21 * DAY })
  })

  it.each([
    ['tags', { action: 'tag' }],
    ['tags', { action: 'untag', tags: [' '] }],
    ['tags', { action: 'pause', tags: ['a'] }],
    ['plan_id', { action: 'plan' }],
    ['plan_id', { action: 'plan', plan_id: 'pln_none' }],
    ['duration', { action: 'resume', duration: 1 }],
  ])('name an invalid %s and change nothing: %j', async (field, members) => {
    const key = await sell({ tags: ['vip'] })
    const before = await readUser(owner, key)
    const { status, error } = await owner.post(`/v1/projects/${project}/users/bulk`, {
      keys: [key],
      ...members,
    })
    expect([status, error.failed]).toMatchObject([400, [{ field }]])
    expect(await readUser(owner, key)).toEqual(before)
  })

  describe('that had to wait for another change', () => {
    const DAYS = (days: number) => ({ clock: { basis: 'creation', duration: days * DAY } })

    /** Moves a key to a plan while the account runs another bulk change, and edits the plan meanwhile. */
    const moveAfter = async (key: string, plan_id: string, edit: () => Promise<unknown>) => {
      const { bulkChanges } = at().deps.limits
      const free = Promise.withResolvers<void>()
      const running = bulkChanges.run(owner.id, () => free.promise)
      const order = { keys: [key], action: 'plan', plan_id }
      const moving = owner.post(`/v1/projects/${project}/users/bulk`, order)
      await expect.poll(() => bulkChanges.load().waiting).toBe(1)
      await edit()
      free.resolve()
      await running
      return moving
    }

    it('move users to the plan as it is by then', async () => {
      const [id, key] = [await plan(DAYS(1), 'Day'), await sell()]
      const moved = await moveAfter(key, id, () => owner.post(`/v1/plans/${id}/edit`, DAYS(3)))
      expect([moved.status, moved.body.count]).toEqual([200, 1])
      expect(await readUser(owner, key)).toMatchObject({ plan_id: id, key_expires: START + 3 * DAY })
    })

    it('fail if their plan was removed', async () => {
      const [id, key] = [await plan(DAYS(1), 'Day'), await sell()]
      const moved = await moveAfter(key, id, () => owner.post(`/v1/plans/${id}/remove`))
      expect([moved.status, moved.error.failed]).toMatchObject([400, [{ field: 'plan_id' }]])
      expect(await readUser(owner, key)).toMatchObject({ plan_id: null, key_expires: null })
    })
  })

  it('are rejected for an empty list', async () => {
    const none = await owner.post(`/v1/projects/${project}/users/bulk`, { keys: [], action: 'pause' })
    expect(none.error.type).toBe('no_users_given')
  })

  it("treat a plan of another account's project like one that does not exist", async () => {
    const theirs = await createOwner(at())
    const made = await theirs.owner.post(`/v1/projects/${theirs.project}/plans/new`, { name: 'Theirs' })
    const key = await sell()
    const ask = (plan_id: string) =>
      owner.post(`/v1/projects/${project}/users/bulk`, { keys: [key], action: 'plan', plan_id })
    const [foreign, none] = [await ask(made.string('plan_id')), await ask('pln_none')]
    expect([foreign.status, foreign.error.failed]).toEqual([none.status, none.error.failed])
  })
})
