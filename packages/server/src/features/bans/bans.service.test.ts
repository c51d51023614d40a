/**
 * Creating, listing, editing and removing bans, and invalid requests. `banned-executions.service.test.ts`
 * covers the effect of bans.
 */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { bindDevice, createOwner, createUser, LONG_AGO } from '../../../test/nouns.ts'
import { rowsOf } from '../../../test/stored.ts'
import { MAX_BANS } from './bans.ts'

type Ban = { readonly id: string; readonly value: string }

describe.each(anyEngine)('bans of a project on $name', (engine) => {
  const { at } = serverOn(engine)

  const begin = async () => {
    const { owner, project } = await createOwner(at())
    const path = `/v1/projects/${project}/bans`
    const make = (members: object) => owner.post(`${path}/new`, members)
    const listed = async (query = '') => (await owner.get(path + query)).body.bans as Ban[]
    return { owner, project, path, make, listed }
  }
  const complaint = ({ error }: { error: Readonly<Record<string, unknown>> }) =>
    (error.failed as { field: string; errors: string[] }[]).map(({ field, errors }) => [field, errors[0]])

  it('are created, shown, edited and removed', async () => {
    const { owner, path, make } = await begin()
    const made = await make({
      kind: 'network',
      value: '203.0.113.9/24',
      reason: ' attacks ',
      expires: START + 5,
    })
    const shown = {
      id: expect.stringMatching(/^ban_/),
      kind: 'network',
      value: '203.0.113.0/24',
      user_key: null,
      reason: 'attacks',
      expires: START + 5,
      created_at: START,
    }
    expect(made.body).toEqual({ success: true, ban: shown })
    const { id } = made.body.ban as Ban
    expect((await owner.get(`${path}/${id}`)).body.ban).toEqual(shown)
    const edited = await owner.post(`${path}/${id}/edit`, { reason: '', expires: 0 })
    expect(edited.body.ban).toEqual({ ...shown, reason: null, expires: null })
    const again = await owner.post(`${path}/${id}/edit`, { expires: START + 9, reason: null })
    expect(again.body.ban).toMatchObject({ reason: null, expires: START + 9 })
    expect((await owner.post(`${path}/${id}/remove`)).body).toEqual({ success: true })
    for (const act of ['remove', 'edit']) {
      const body = act === 'edit' ? { expires: 0 } : undefined
      expect((await owner.post(`${path}/${id}/${act}`, body)).status).toBe(404)
    }
    expect((await owner.get(`${path}/${id}`)).status).toBe(404)
  })

  it('are listed newest first, in pages, all or of one kind', async () => {
    const { owner, path, make, listed } = await begin()
    for (let i = 1; i <= 3; i++) await make({ kind: 'chat', value: `${i}` })
    await make({ kind: 'network', value: '203.0.113.1' })
    expect((await listed()).map(({ value }) => value)).toEqual(['203.0.113.1/32', '3', '2', '1'])
    const first = await owner.get(`${path}?kind=chat&limit=2`)
    expect((first.body.bans as Ban[]).map(({ value }) => value)).toEqual(['3', '2'])
    const rest = await owner.get(`${path}?kind=chat&after=${first.string('next')}`)
    expect([(rest.body.bans as Ban[]).map(({ value }) => value), rest.body.next]).toEqual([['1'], null])
  })

  it.each([
    ['kind', { kind: 'key', value: 'x' }],
    ['kind', { value: 'x' }],
    ['value', { kind: 'network' }],
    ['value', { kind: 'network', value: '203.0.113.1', user_key: 'x' }],
    ['value', { kind: 'chat', value: '  ' }],
    ['value', { kind: 'chat', value: 'x'.repeat(101) }],
    ['value', { kind: 'chat', value: 'x'.repeat(256) }],
    ['value', { kind: 'device', value: 'a\u0000b' }],
    ['value', { kind: 'network', value: 'garden' }],
    ['value', { kind: 'network', value: 7 }],
    ['user_key', { kind: 'chat', user_key: 'x'.repeat(513) }],
    ['reason', { kind: 'chat', value: '1', reason: 'x'.repeat(256) }],
    ['reason', { kind: 'chat', value: '1', reason: 'a\nb' }],
    ['expires', { kind: 'chat', value: '1', expires: START }],
    ['expires', { kind: 'chat', value: '1', expires: -1 }],
    ['expires', { kind: 'chat', value: '1', expires: 1.5 }],
    ['expires', { kind: 'chat', value: '1', expires: 253_402_300_800_000 }],
    ['for', { kind: 'chat', value: '1', for: 'ever' }],
  ])('are rejected with an invalid %s: %j', async (field, members) => {
    const { make, listed } = await begin()
    const refused = await make(members)
    expect([refused.status, refused.error.type]).toEqual([400, 'invalid_request'])
    expect(complaint(refused).map(([name]) => name)).toEqual([field])
    expect(await listed()).toEqual([])
  })

  it.each(['203.0.0.0/15', '0.0.0.0/0', '2001:db8::/31', '::/0'])(
    'of the network %s are rejected with the allowed sizes',
    async (value) => {
      const { make } = await begin()
      expect(complaint(await make({ kind: 'network', value }))).toEqual([
        ['value', 'is too wide: the maximum is /16 for IPv4 and /32 for IPv6'],
      ])
    },
  )

  it('of an IPv4 network in IPv6 apply to the IPv4 network, which is banned once', async () => {
    const { make } = await begin()
    const first = await make({ kind: 'network', value: '::ffff:203.0.113.4/120' })
    expect(first.body.ban).toMatchObject({ value: '203.0.113.0/24' })
    const second = await make({ kind: 'network', value: '203.0.113.200/24' })
    expect([second.status, second.error]).toMatchObject([
      409,
      { type: 'already_banned', ban_id: (first.body.ban as Ban).id },
    ])
  })

  it('of an already banned target return the existing ban until it has ended', async () => {
    const { owner, project, make, listed } = await begin()
    const key = await createUser(owner, project, { chat_id: '5' })
    await bindDevice(at(), project, key)
    for (const target of [
      { kind: 'device', user_key: key },
      { kind: 'chat', user_key: key },
    ]) {
      const first = await make({ ...target, expires: START + 1000 })
      const second = await make(target)
      expect([second.status, second.error.ban_id]).toEqual([409, (first.body.ban as Ban).id])
    }
    const same = await make({ kind: 'chat', value: '5' })
    expect(same.status).toBe(409)
    at().clock.now = START + 1000
    expect((await make({ kind: 'chat', value: '5' })).status).toBe(200)
    expect(await listed()).toHaveLength(1)
    at().clock.now = START
  })

  it('of a user without bannable data report what is missing', async () => {
    const { owner, project, path, make } = await begin()
    const key = await createUser(owner, project)
    for (const [kind, type] of [
      ['device', 'no_device_known'],
      ['network', 'no_network_known'],
      ['chat', 'no_chat_known'],
    ]) {
      const refused = await make({ kind, user_key: key })
      expect([refused.status, refused.error.type]).toEqual([409, type])
      expect((await owner.post(`${path}/preview`, { kind, user_key: key })).error.type).toBe(type)
    }
  })

  it('are not changed by an empty edit', async () => {
    const { owner, path, make } = await begin()
    const { id } = (await make({ kind: 'chat', value: '1' })).body.ban as Ban
    expect((await owner.post(`${path}/${id}/edit`, {})).error.type).toBe('cannot_edit_nothing')
  })

  it('are limited in number', async () => {
    const { owner, project, make, path } = await begin()
    await at().deps.db.transaction(async (tx) => {
      await tx
        .updateTable('projects')
        .set({ bans: MAX_BANS - 1 })
        .where('id', '=', project)
        .execute()
    })
    const last = await make({ kind: 'chat', value: '1', expires: START + 1000 })
    expect(last.status).toBe(200)
    const refused = await make({ kind: 'chat', value: '2' })
    expect([refused.status, refused.error]).toMatchObject([403, { type: 'too_many_bans', limit: MAX_BANS }])
    at().clock.now = START + 1000
    expect((await make({ kind: 'chat', value: '2' })).status).toBe(200)
    at().clock.now = START
    expect((await owner.get(path)).status).toBe(200)
  })

  it('cannot be created by an expired account, which may still remove them', async () => {
    const { owner, path, make } = await begin()
    const { id } = (await make({ kind: 'chat', value: '1' })).body.ban as Ban
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { plan_expires: LONG_AGO })
    expect((await make({ kind: 'chat', value: '2' })).error.type).toBe('account_expired')
    expect((await owner.post(`${path}/${id}/edit`, { expires: 0 })).error.type).toBe('account_expired')
    expect((await owner.post(`${path}/${id}/remove`)).status).toBe(200)
  })

  it('are removed with their project, and remain when the user they were taken from is removed', async () => {
    const { owner, project, make, listed } = await begin()
    const key = await createUser(owner, project, { chat_id: '5' })
    await make({ kind: 'chat', user_key: key })
    await owner.post(`/v1/users/${key}/remove`)
    expect(await listed()).toMatchObject([{ value: '5', user_key: key }])
    expect((await owner.post(`/v1/projects/${project}/remove`)).status).toBe(200)
    const names = await rowsOf(at(), 'ban_names', { project_id: project })
    expect(names).toEqual([])
  })

  it('leave no device identifier in the audit log', async () => {
    const { owner, make } = await begin()
    await make({ kind: 'device', value: 'HWID-of-somebody' })
    const { text } = await owner.get('/v1/audit')
    expect(text).toContain('v1.bans.create')
    expect(text).not.toContain('HWID-of-somebody')
  })
})
