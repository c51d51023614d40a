/**
 * The tags, metadata and issuance data of keys are stored, searchable, visible to the author, and omitted if
 * the author doesn't use them.
 */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import { changeUser, createOwner, readUser } from '../../../../test/nouns.ts'
import { deliver, ok, startReceiver, WEBHOOKS } from '../../../../test/webhooks/receiver.ts'

type Made = { readonly owner: Owner; readonly project: string; readonly key: string }

const ALL = {
  tags: ['vip', 'autumn'],
  metadata: {
    order: 1001,
    gift: true,
    shop: 'Main Street',
    public: { guild: 'red' },
    list: [1, { a: null }],
  },
  private_note: 'refunded once\nasks for a discount',
  issued_to: 'grace',
  issued_by: 'Shop on Main Street',
  issued_at: START - 1000,
}
const NONE = {
  ...{ tags: [], metadata: {}, private_note: null },
  ...{ issued_to: null, issued_by: null, issued_at: null },
}

describe.each(engines)('tags, metadata and the issue mark on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const open = async (members: object = {}): Promise<Made> => {
    const { owner, project } = await createOwner(at())
    const made = await owner.post(`/v1/projects/${project}/users/new`, members)
    expect([made.status, made.error]).toEqual([200, {}])
    return { owner, project, key: made.string('user_key') }
  }
  const found = async ({ owner, project }: Made, query: string) => {
    const { status, body } = await owner.get(`/v1/projects/${project}/users/filter?${query}`)
    expect(status).toBe(200)
    return (body.users as { key: string }[]).map(({ key }) => key)
  }

  it('are stored as given, with tags trimmed and deduplicated', async () => {
    const { owner, key } = await open({ ...ALL, tags: [' vip ', 'autumn', 'vip'] })
    expect(await readUser(owner, key)).toMatchObject(ALL)
    const issued = { issued_to: '', issued_by: '', issued_at: 0 }
    const edit = { tags: ['beta'], metadata: { order: 2 }, private_note: ' ', ...issued }
    await owner.post(`/v1/users/${key}/edit`, edit)
    expect(await readUser(owner, key)).toMatchObject({ ...NONE, tags: ['beta'], metadata: { order: 2 } })
    await owner.post(`/v1/users/${key}/edit`, { tags: [], metadata: {} })
    expect(await readUser(owner, key)).toMatchObject(NONE)
  })

  it('do not change the unversioned API or exports if they are not used', async () => {
    const { owner, project, key } = await open()
    expect(await readUser(owner, key)).toMatchObject({ ...NONE, status: 'unused' })
    const shown = (await owner.get(`/users/${key}`)).body.user as object
    for (const member of Object.keys(NONE)) expect(shown).not.toHaveProperty(member)
    const { text } = await owner.post(`/projects/${project}/users/export`, { type: 'json' })
    for (const member of Object.keys(NONE)) expect(text).not.toContain(`"${member}"`)
  })

  it('find their users, separately and combined, even after a change', async () => {
    const made = await open(ALL)
    const { owner, project, key } = made
    for (const members of [{ tags: ['vip'] }, { issued_by: 'somebody' }, { metadata: { order: '1002' } }])
      await owner.post(`/v1/projects/${project}/users/new`, members)
    for (const query of [
      'tag=autumn',
      'metadata=order%3D1001',
      'metadata=gift%3Dtrue',
      'tag=vip&metadata=shop%3DMain+Street',
    ])
      expect([query, await found(made, query)]).toEqual([query, [key]])
    expect(await found(made, 'tag=vip')).toHaveLength(2)
    expect(await found(made, 'issued_by=somebody')).toHaveLength(1)
    expect(await found(made, 'tag=nobody')).toEqual([])
    await owner.post(`/v1/users/${key}/edit`, { tags: ['spring'] })
    expect(await found(made, 'tag=autumn')).toEqual([])
    expect(await found(made, 'tag=spring')).toEqual([key])
    expect(await found(await open(), 'tag=spring')).toEqual([])
  })

  it('select users for a bulk change', async () => {
    const made = await open(ALL)
    const { owner, project, key } = made
    await owner.post(`/v1/projects/${project}/users/new`, { tags: ['other'] })
    const change = { filter: { tag: 'vip' }, action: 'blacklist' }
    const dry = await owner.post(`/v1/projects/${project}/users/bulk`, { ...change, dry_run: true })
    expect(dry.body).toMatchObject({ count: 1 })
    await owner.post(`/v1/projects/${project}/users/bulk`, change)
    expect(await found(made, 'blacklisted=true')).toEqual([key])
  })

  it('are set on generated keys and exported in the import format', async () => {
    const { owner, project } = await open()
    const generated = await owner.post(`/v1/projects/${project}/users/generate`, { ...ALL, amount: 2 })
    const [first = ''] = generated.body.user_keys as string[]
    expect(await readUser(owner, first)).toMatchObject({ ...ALL, status: 'issued' })
    const exported = await owner.post(`/v1/projects/${project}/users/export`, { type: 'json' })
    await owner.post(`/v1/projects/${project}/users/clear`, {})
    const users = JSON.parse(exported.string('exported')) as object[]
    const imported = await owner.post(`/v1/projects/${project}/users/import`, { users })
    expect(imported.body).toMatchObject({ imported: 3, skipped: 0 })
    expect(await readUser(owner, first)).toMatchObject(ALL)
  })

  it('are restored and searchable after a removal is undone', async () => {
    const made = await open(ALL)
    const cleared = await made.owner.post(`/v1/projects/${made.project}/users/clear`, {})
    expect(await found(made, 'tag=vip')).toEqual([])
    await made.owner.post(`/v1/changes/${cleared.body.change_id}/undo`)
    expect(await readUser(made.owner, made.key)).toMatchObject(ALL)
    expect(await found(made, 'tag=vip')).toEqual([made.key])
  })

  it('are reported to webhooks by name, and metadata and private notes without values', async () => {
    const receiver = await startReceiver(ok)
    try {
      const { owner, project, key } = await open({ tags: ['vip'] })
      await owner.post(`/projects/${project}/edit`, { information_webhook: receiver.url })
      await owner.post(`/v1/users/${key}/edit`, {
        ...{ tags: ['beta'], metadata: { mine: 'of-the-author' }, private_note: 'of-the-author' },
      })
      await deliver(at())
      expect(receiver.received.map(({ body }) => body)).toMatchObject([
        {
          type: 'user.edited',
          data: {
            changes: [
              { member: 'tags', before: 'vip', after: 'beta' },
              { member: 'metadata', before: null, after: null },
              { member: 'private_note', before: null, after: null },
            ],
          },
        },
      ])
      const { text } = await owner.get('/v1/audit')
      expect([receiver.received[0]?.text, text].join()).not.toContain('of-the-author')
    } finally {
      await receiver.close()
    }
  })

  it('can mark a key as issued only once and only before its first use', async () => {
    const { owner, project, key } = await open({ issued_by: 'Shop' })
    expect(await readUser(owner, key)).toMatchObject({ status: 'unused', issued_at: null })
    const issue = (members: object, of = key) => owner.post(`/v1/users/${of}/issue`, members)
    expect((await issue({ issued_to: 'grace' })).status).toBe(200)
    const issued = { issued_to: 'grace', issued_by: 'Shop', issued_at: START, status: 'issued' }
    expect(await readUser(owner, key)).toMatchObject(issued)
    expect((await issue({})).error.type).toBe('user_already_issued')
    const { body } = await owner.get(`/v1/projects/${project}/users/counts`)
    expect(body.counts).toMatchObject({ issued: 1, unused: 0 })
    const used = (await owner.post(`/v1/projects/${project}/users/new`)).string('user_key')
    await changeUser(at(), used, { executions: 1 })
    expect((await issue({}, used)).error.type).toBe('user_already_used')
    await changeUser(at(), key, { executions: 1 })
    expect(await readUser(owner, key)).toMatchObject({ status: 'active', issued_to: 'grace' })
  })

  it.each([
    ['tags', { tags: Array.from({ length: 33 }, (_, i) => `t${i}`) }],
    ['tags', { tags: ['x'.repeat(41)] }],
    ['tags', { tags: ['a\u0000b'] }],
    ['tags', { tags: 'vip' }],
    ['metadata', { metadata: [] }],
    ['metadata', { metadata: { long: 'x'.repeat(8192) } }],
    ['metadata', { metadata: JSON.parse(`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`) }],
    ['issued_to', { issued_to: 'x'.repeat(256) }],
    ['private_note', { private_note: 'x'.repeat(2001) }],
    ['private_note', { private_note: 'a\tb' }],
    ['issued_at', { issued_at: -1 }],
  ])('are rejected with invalid %s, and nothing changes', async (member, bad) => {
    const { owner, project, key } = await open(ALL)
    for (const path of [`/v1/users/${key}/edit`, `/v1/projects/${project}/users/new`]) {
      const { status, error } = await owner.post(path, { note: 'changed', ...bad })
      const [failed] = error.failed as { field: string }[]
      expect([status, failed?.field.split(/[.[]/)[0]]).toEqual([400, member])
    }
    expect(await readUser(owner, key)).toMatchObject({ ...ALL, note: null })
  })
})
