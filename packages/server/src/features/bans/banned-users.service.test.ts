/** Users affected by a ban appear as blacklisted wherever their status is shown, along with that ban. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { bindDevice, changeUser, createOwner, createUser, type Owned, readUser } from '../../../test/nouns.ts'
import { insertRows, rowOf } from '../../../test/stored.ts'
import { countUsers, filterUsers } from '../keys/lists.ts'
import type { ProjectRow } from '../projects/store/projects.ts'

type Told = { readonly note: string; readonly status: string; readonly ban: { readonly id: string } | null }

describe.each(engines)('users to whom a ban applies, on $name,', (engine) => {
  const { at } = serverOn(engine)

  const make = async ({ owner, project }: Owned, members: object) =>
    (await owner.post(`/v1/projects/${project}/bans/new`, members)).body.ban as { id: string }
  const countsOf = async ({ owner, project }: Owned) =>
    (await owner.get(`/v1/projects/${project}/users/counts`)).body.counts as Record<string, number>
  const filtered = async ({ owner, project }: Owned, query: string) =>
    ((await owner.get(`/v1/projects/${project}/users/filter?${query}`)).body.users as Told[]).map(
      ({ note }) => note,
    )
  const seenIn = async (project_id: string, key: string, network: string) => {
    const { seq } = await rowOf(at(), 'users', { key, project_id })
    await insertRows(at(), 'user_networks', { user_seq: seq, project_id, network, seen_at: START })
  }

  /**
   * Creates two users on one device, one with a Discord account, one with a network, and one that no ban
   * affects.
   */
  const people = async () => {
    const owned = await createOwner(at())
    const { owner, project } = owned
    const add = async (note: string, members: object = {}) => {
      const key = await createUser(owner, project, { note, ...members })
      await changeUser(at(), key, { executions: 1 })
      return key
    }
    const device = await add('device')
    const same = await add('same device')
    for (const key of [device, same]) await bindDevice(at(), project, key)
    const chat = await add('chat', { chat_id: '4711' })
    const network = await add('network')
    await seenIn(project, network, '4cb007100')
    const free = await add('free', { chat_id: '4712' })
    await seenIn(project, free, '4c6336400')
    return { ...owned, device, same, chat, network, free }
  }

  it('appear blacklisted with the ban in their record, the list, the counts and the filter', async () => {
    const all = await people()
    const { owner, project } = all
    const bans = {
      device: await make(all, { kind: 'device', user_key: all.device, reason: 'leaked' }),
      chat: await make(all, { kind: 'chat', value: '4711', expires: START + 1000 }),
      network: await make(all, { kind: 'network', value: '203.0.113.0/20' }),
    }
    expect(await readUser(owner, all.device)).toMatchObject({
      ...{ status: 'blacklisted', blacklisted: false, blacklist_reason: null },
      ban: { id: bans.device.id, kind: 'device', reason: 'leaked', expires: null },
    })
    const listed = (await owner.get(`/v1/projects/${project}/users`)).body.users as Told[]
    expect(listed.map(({ note, status, ban }) => [note, status, ban?.id])).toEqual([
      ['device', 'blacklisted', bans.device.id],
      ['same device', 'blacklisted', bans.device.id],
      ['chat', 'blacklisted', bans.chat.id],
      ['network', 'blacklisted', bans.network.id],
      ['free', 'active', undefined],
    ])
    expect(await countsOf(all)).toMatchObject({ blacklisted: 4, active: 1 })
    const hit = ['device', 'same device', 'chat', 'network']
    expect(await filtered(all, 'status=blacklisted')).toEqual(hit)
    expect(await filtered(all, 'status=active')).toEqual(['free'])
    expect(await filtered(all, 'status=blacklisted&order=newest')).toEqual(hit.toReversed())
    expect(await filtered(all, 'status=blacklisted&chat_id=4711')).toEqual(['chat'])
    expect(await filtered(all, 'status=active&chat_id=4711')).toEqual([])
    expect(await filtered(all, 'status=blacklisted&search=device')).toEqual(['device', 'same device'])
    expect(await filtered(all, 'blacklisted=true')).toEqual([])
    const old = await owner.get(`/projects/${project}/users/filter?chat_id=4711`)
    expect(old.body.users).toMatchObject([{ blacklisted: false }])
    expect(old.body.users).not.toMatchObject([{ ban: expect.anything() }])
  })

  it('return to their previous status when the ban is removed, ends or no longer applies to them', async () => {
    const all = await people()
    const { owner, project } = all
    const { id } = await make(all, { kind: 'device', user_key: all.device })
    await make(all, { kind: 'chat', value: '4711', expires: START + 1000 })
    await make(all, { kind: 'network', value: '203.0.113.0/24' })
    await owner.post(`/v1/projects/${project}/bans/${id}/remove`)
    expect(await filtered(all, 'status=blacklisted')).toEqual(['chat', 'network'])
    at().clock.now = START + 1000
    expect(await filtered(all, 'status=blacklisted')).toEqual(['network'])
    expect((await readUser(owner, all.chat)).ban).toBeNull()
    expect(await countsOf(all)).toMatchObject({ blacklisted: 1, active: 4 })
    await make(all, { kind: 'device', user_key: all.device })
    await owner.post(`/v1/users/${all.same}/reset`, { force: true })
    expect(await filtered(all, 'status=blacklisted')).toEqual(['device', 'network'])
    at().clock.now = START
  })

  it('are counted once even if several bans apply, and show the ban that lasts longest', async () => {
    const all = await people()
    const { owner } = all
    await owner.post(`/v1/users/${all.chat}/blacklist`, { expires: null, reason: 'own' })
    await owner.post(`/v1/users/${all.device}/pause`, {})
    await make(all, { kind: 'network', value: '203.0.112.0/20', expires: START + 1000 })
    await make(all, { kind: 'network', value: '203.0.113.0/24', expires: START + 2000 })
    await make(all, { kind: 'chat', value: '4711' })
    await make(all, { kind: 'device', user_key: all.device })
    expect(await readUser(owner, all.network)).toMatchObject({ ban: { expires: START + 2000 } })
    expect(await readUser(owner, all.chat)).toMatchObject({ blacklist_reason: 'own', status: 'blacklisted' })
    expect(await countsOf(all)).toMatchObject({ blacklisted: 4, active: 1, paused: 0 })
  })

  it("do not include users who only share part of a banned user's network", async () => {
    const all = await people()
    await make(all, { kind: 'network', value: '203.0.113.7' })
    expect(await filtered(all, 'status=blacklisted')).toEqual([])
    expect(await readUser(all.owner, all.network)).toMatchObject({ status: 'active', ban: null })
  })

  it('are found and counted in slices, and in no other project', async () => {
    const all = await people()
    const other = await people()
    for (const one of [all, other]) await make(one, { kind: 'device', user_key: one.device })
    await make(other, { kind: 'chat', value: '4711' })
    const deps = { ...at().deps, db: { ...at().deps.db, rowsAtOnce: 1 } }
    const project = (await rowOf(at(), 'projects', { id: all.project })) as ProjectRow
    expect(await countUsers(deps, project)).toMatchObject({ blacklisted: 2, active: 3 })
    for (const order of ['oldest', 'newest'] as const) {
      const visible = { project, issuer: undefined }
      const found = await filterUsers(deps, visible, { status: 'active' }, { order, limit: 2 })
      const notes: (string | null)[] = []
      if (!('pages' in found)) throw new Error('refused')
      for await (const page of found.pages) notes.push(...page.map(({ note }) => note))
      expect(notes).toEqual(order === 'oldest' ? ['chat', 'network'] : ['free', 'network'])
    }
  })
})
