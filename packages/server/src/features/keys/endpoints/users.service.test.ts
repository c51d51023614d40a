/** Differences between the `/v1` user endpoints and the unversioned ones. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import { changeUser, createOwner, createUser, expire, readUser } from '../../../../test/nouns.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function userOf(members = {}): Promise<{ owner: Owner; project: string; key: string }> {
    const { owner, project } = await createOwner(at())
    return { owner, project, key: await createUser(owner, project, members) }
  }

  test('GET /v1/users/:user_key returns the extended record', async () => {
    const { owner, project, key } = await userOf()
    expect((await owner.get(`/v1/users/${key}`)).body).toEqual({
      success: true,
      user: {
        ...((await owner.get(`/users/${key}`)).body.user as object),
        max_instances: null,
        max_executions: null,
        use_fingerprint: true,
        ad_system_id: null,
        created_at: START,
        project_id: project,
        issuer: null,
        status: 'unused',
        ...{ plan_id: null, plan: null, clock: null, has_own_clock: false, paused: null },
        ...{ clock_extra: 0, starts_at: null },
        ...{ features: {}, own_features: {}, quota: null, first_used_at: null, last_used_at: null },
        foreign_device: null,
        ...{ ban: null, private_note: null },
        ...{ tags: [], metadata: {}, issued_to: null, issued_by: null, issued_at: null },
        ...{ max_devices: null, match: null, shared: false, networks: 0, refused_devices: 0 },
      },
    })
  })

  test('GET /v1/projects/:project_id/users returns the total along with each page', async () => {
    const { owner, project, key } = await userOf()
    await createUser(owner, project)
    const { body } = await owner.get(`/v1/projects/${project}/users?limit=1`)
    expect(body).toEqual({
      success: true,
      users: [await readUser(owner, key)],
      total: 2,
      next: expect.any(String),
    })
  })

  describe('POST /v1/users/:user_key/edit', () => {
    test('sets limits and removes them with -1', async () => {
      const { owner, key } = await userOf()
      const edit = (members: object) => owner.post(`/v1/users/${key}/edit`, members)
      expect((await edit({ max_instances: 3, max_executions: 10, use_fingerprint: false })).body).toEqual({
        success: true,
        changed: [],
      })
      expect(await readUser(owner, key)).toMatchObject({
        max_instances: 3,
        max_executions: 10,
        use_fingerprint: false,
      })
      await edit({ max_instances: -1, max_executions: -1, use_fingerprint: true })
      expect(await readUser(owner, key)).toMatchObject({
        max_instances: null,
        max_executions: null,
        use_fingerprint: true,
      })
    })

    test('edits the blacklist of a blacklisted user', async () => {
      const { owner, key } = await userOf()
      await changeUser(at(), key, { blacklisted: 1, blacklist_reason: 'old' })
      await owner.post(`/v1/users/${key}/edit`, { blacklist_expires: START + 1, blacklist_reason: 7 })
      expect(await readUser(owner, key)).toMatchObject({
        blacklist_expires: START + 1,
        blacklist_reason: '7',
      })
      await owner.post(`/v1/users/${key}/edit`, { blacklist_expires: 0, blacklist_reason: '' })
      expect(await readUser(owner, key)).toMatchObject({
        blacklisted: true,
        blacklist_expires: null,
        blacklist_reason: null,
      })
    })

    test('leaves the blacklist fields of any other user null', async () => {
      const { owner, key } = await userOf()
      const members = { blacklist_expires: START + 1, blacklist_reason: 'no' }
      expect((await owner.post(`/v1/users/${key}/edit`, { ...members, note: 'n' })).status).toBe(200)
      expect((await owner.post(`/v1/users/${key}/edit`, members)).error).toMatchObject({ code: 2 })
      await changeUser(at(), key, { blacklisted: 1 })
      expect(await readUser(owner, key)).toMatchObject({ blacklist_expires: null, blacklist_reason: null })
    })

    test.each([
      { members: { blacklist_expires: START }, field: 'blacklist_expires' },
      { members: { max_instances: -2 }, field: 'max_instances' },
      { members: { max_executions: '3' }, field: 'max_executions' },
      { members: { use_fingerprint: 1 }, field: 'use_fingerprint' },
    ])('rejects $members and names $field', async ({ members, field }) => {
      const { owner, key } = await userOf()
      const { status, error } = await owner.post(`/v1/users/${key}/edit`, members)
      expect(status).toBe(400)
      expect(error.failed).toEqual([{ field, errors: [expect.any(String)] }])
    })

    test('returns the same codes as the unversioned endpoint', async () => {
      const { owner, project, key } = await userOf()
      await createUser(owner, project, { chat_id: '2' })
      const code = async (members: object) => (await owner.post(`/v1/users/${key}/edit`, members)).error.code
      expect(await code({ chat_id: '2' })).toBe(1)
      expect(await code({})).toBe(2)
      await expire(at(), owner.id)
      expect(await code({ chat_id: '2' })).toBe(0)
    })
  })

  describe('POST /v1/users/:user_key/reset', () => {
    test('requires the force field', async () => {
      const { owner, key } = await userOf()
      for (const body of [{}, { force: null }]) {
        const { status, error } = await owner.post(`/v1/users/${key}/reset`, body)
        expect(status).toBe(400)
        expect(error.failed).toMatchObject([{ field: 'force' }])
      }
    })
  })
})
