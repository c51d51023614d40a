/** Creating and listing a project's users. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { createOwner, createProject, createTier, createUser, expire } from '../../../../test/nouns.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  describe('POST /projects/:project_id/users/new', () => {
    test('returns only a key and stores the given fields', async () => {
      const { owner, project } = await createOwner(at())
      const { status, body } = await owner.post(`/projects/${project}/users/new`, {
        chat_id: ' 1234 ',
        key_expires: 1_900_000_000_000,
        note: '  bought in June ',
      })
      expect(status).toBe(200)
      expect(body).toEqual({ success: true, user_key: expect.stringMatching(/^[A-Za-z0-9]{32}$/) })
      expect((await owner.get(`/users/${body.user_key}`)).body.user).toMatchObject({
        chat_id: '1234',
        key_expires: 1_900_000_000_000,
        note: 'bought in June',
      })
    })

    test.each([
      {},
      undefined,
      { chat_id: null, key_expires: null, note: null },
      { chat_id: '', key_expires: 0, note: '' },
      { chat_id: ' ', note: '  ' },
    ])('accepts %j for a user without settings', async (members) => {
      const owner = await at().createCustomer()
      const { status, body } = await owner.post(`/projects/${await createProject(owner)}/users/new`, members)
      expect(status).toBe(200)
      expect((await owner.get(`/users/${body.user_key}`)).body.user).toMatchObject({
        chat_id: null,
        key_expires: null,
        note: null,
      })
    })

    test('stores a numeric note as a string', async () => {
      const owner = await at().createCustomer()
      const key = await createUser(owner, await createProject(owner), { note: 4711 })
      expect((await owner.get(`/users/${key}`)).body.user).toMatchObject({ note: '4711' })
    })

    test.each([
      { members: { chat_id: 5 }, field: 'chat_id' },
      { members: { chat_id: 'a\nb' }, field: 'chat_id' },
      { members: { chat_id: 'x'.repeat(101) }, field: 'chat_id' },
      { members: { key_expires: '5' }, field: 'key_expires' },
      { members: { key_expires: -1 }, field: 'key_expires' },
      { members: { key_expires: 1.5 }, field: 'key_expires' },
      { members: { note: true }, field: 'note' },
      { members: { note: 'x'.repeat(256) }, field: 'note' },
      { members: { note: 'a\u0007b' }, field: 'note' },
      { members: { not: 'a typo' }, field: 'not' },
    ])('rejects $members and names $field', async ({ members, field }) => {
      const { owner, project } = await createOwner(at())
      const { status, error } = await owner.post(`/projects/${project}/users/new`, members)
      expect(status).toBe(400)
      expect(error).toMatchObject({
        code: -1,
        type: 'invalid_request',
        failed: [{ field, errors: [expect.any(String)] }],
      })
      expect((await owner.get(`/projects/${project}/users`)).body.users).toEqual([])
    })

    test('rejects a chat ID used in the project but accepts one used in another project', async () => {
      const owner = await at().createCustomer()
      const [one, other] = [await createProject(owner), await createProject(owner)]
      await createUser(owner, one, { chat_id: '77' })
      const { status, error } = await owner.post(`/projects/${one}/users/new`, { chat_id: ' 77' })
      expect(status).toBe(409)
      expect(error).toMatchObject({
        code: 2,
        type: 'chat_already_has_key',
        message: 'key already exists with this discord (chat) account',
      })
      expect(await createUser(owner, other, { chat_id: '77' })).toHaveLength(32)
    })

    test('returns "account expired" before any other error', async () => {
      const owner = await at().createCustomer({ tier: await createTier(at(), { max_users: 1 }) })
      const project = await createProject(owner)
      await createUser(owner, project, { chat_id: '1' })
      await expire(at(), owner.id)
      const { status, error } = await owner.post(`/projects/${project}/users/new`, { chat_id: '1' })
      expect(status).toBe(403)
      expect(error).toMatchObject({ code: 1, type: 'account_expired', message: 'account expired' })
    })

    test('counts users across all projects of the account', async () => {
      const owner = await at().createCustomer({ tier: await createTier(at(), { max_users: 2 }) })
      const [one, other] = [await createProject(owner), await createProject(owner)]
      await createUser(owner, one)
      await createUser(owner, other)
      const { status, error } = await owner.post(`/projects/${one}/users/new`, {})
      expect(status).toBe(403)
      expect(error).toMatchObject({ code: 0, type: 'max_users_reached', message: 'max users reached' })
    })
  })

  describe('GET /projects/:project_id/users', () => {
    test('lists complete records in order of creation, and any requested part', async () => {
      const { owner, project } = await createOwner(at())
      const keys: string[] = []
      for (let i = 0; i < 5; i += 1) keys.push(await createUser(owner, project, { note: i }))
      const list = async (query: string) => {
        const { body } = await owner.get(`/projects/${project}/users${query}`)
        expect(Object.keys(body).toSorted()).toEqual(['success', 'users'])
        return (body.users as { key: string }[]).map((user) => user.key)
      }
      expect(await list('')).toEqual(keys)
      expect(await list('?from=2')).toEqual(keys.slice(2))
      expect(await list('?limit=2')).toEqual(keys.slice(0, 2))
      expect(await list('?from=1&limit=3')).toEqual(keys.slice(1, 4))
      expect(await list('?from=4&limit=9')).toEqual(keys.slice(4))
      expect(await list('?from=5')).toEqual([])
      expect(await list('?from=500&limit=1')).toEqual([])
      expect(await list('?limit=0')).toEqual([])
    })

    test('returns every field of an unused user', async () => {
      const { owner, project } = await createOwner(at())
      const key = await createUser(owner, project)
      const { body } = await owner.get(`/projects/${project}/users`)
      expect(body.users).toEqual([
        {
          key,
          chat_id: null,
          fingerprint_assigned: false,
          executor: null,
          executions: 0,
          key_expires: null,
          last_reset: 0,
          total_fingerprint_resets: 0,
          note: null,
          blacklisted: false,
          blacklist_reason: null,
          blacklist_expires: null,
          service_fingerprint: '',
        },
      ])
    })

    test('is complete and in order across many pages', async () => {
      const { owner, project } = await createOwner(at())
      const keys = Array.from({ length: 12_001 }, (_, i) => `many${String(i).padStart(28, '0')}`)
      await at().deps.db.transaction(async (tx) => {
        for (let i = 0; i < keys.length; i += 1000) {
          const rows = keys.slice(i, i + 1000).map((key) => ({
            key: `${key}${project}`,
            customer_id: owner.id,
            project_id: project,
            created_at: 1,
          }))
          await tx.insertInto('users').values(rows).execute()
        }
      })
      const list = async (query: string) => {
        const { body } = await owner.get(`/projects/${project}/users${query}`)
        return (body.users as { key: string }[]).map((user) => user.key.slice(0, 32))
      }
      expect(await list('')).toEqual(keys)
      expect(await list('?from=3000&limit=7000')).toEqual(keys.slice(3000, 10_000))
    })

    test.each(['?from=-1', '?from=x', '?limit=1.5', '?form=1', '?from=1&from=2'])(
      'rejects the query %s',
      async (query) => {
        const owner = await at().createCustomer()
        const { status, error } = await owner.get(`/projects/${await createProject(owner)}/users${query}`)
        expect(status).toBe(400)
        expect(error).toMatchObject({ type: 'invalid_request' })
      },
    )

    test('works for an expired account', async () => {
      const { owner, project } = await createOwner(at())
      await expire(at(), owner.id)
      expect((await owner.get(`/projects/${project}/users`)).status).toBe(200)
    })
  })

  test('names of users are found by key, only within their project', async () => {
    const { owner, project } = await createOwner(at())
    const key = await createUser(owner, project, { note: 'Mara 🌱', chat_id: '4711' })
    const other = await createUser(owner, await createProject(owner), { note: 'elsewhere' })
    const path = `/v1/projects/${project}/users/names`
    const { body } = await owner.post(path, { keys: [key, other, 'unknown'] })
    expect(body.users).toEqual([{ key, note: 'Mara 🌱', chat_id: '4711' }])
    for (const keys of [[], Array.from({ length: 101 }, () => key)])
      expect((await owner.post(path, { keys })).error?.type).toBe('invalid_request')
  })
})
