/**
 * Generating, resetting, purging, clearing and compensating many users, and the counters of these operations.
 */
import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { countsOf, keysOf, plantUsers } from '../../../test/endpoints/users-of.ts'
import { type Owner, START, serverOn } from '../../../test/harness.ts'
import {
  bindDevice,
  countComponents,
  createOwner,
  createProject,
  createScript,
  createTier,
  createUser,
  readUser,
} from '../../../test/nouns.ts'
import { instance } from '../../../test/store/rows.ts'
import { changeRows, insertRows } from '../../../test/stored.ts'

describe.each(engines)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { generateLimit: 1200 } })
  const placeOf = async (account = {}): Promise<{ owner: Owner; project: string }> => {
    return createOwner(at(), account)
  }
  const run = async (owner: Owner, script_id: string, project_id: string, user_key: string | null) => {
    const exec = `exe_${user_key ?? script_id}`
    const row = { ...instance, exec, script_id, project_id, user_key }
    await insertRows(at(), 'instances', row)
    return owner
  }
  const running = async (project: string) => {
    const rows = await at()
      .deps.db.read.selectFrom('instances')
      .innerJoin('scripts', 'scripts.id', 'instances.script_id')
      .leftJoin('users', 'users.key', 'instances.user_key')
      .select('instances.user_key')
      .where('instances.project_id', '=', project)
      .where('instances.kick', 'is', null)
      .where((e) => e.or([e('instances.user_key', 'is', null), e('users.key', 'is not', null)]))
      .execute()
    return rows.map(({ user_key }) => user_key)
  }

  describe('POST /projects/:project_id/users/generate', () => {
    test('creates the requested number of different keys with the given fields, in order', async () => {
      const { owner, project } = await placeOf()
      for (const amount of [1, 1200]) {
        const body = { amount, keys_expire: START + 5, note: 12 }
        const answer = await owner.post(`/projects/${project}/users/generate`, body)
        const keys = answer.body.user_keys as string[]
        expect(new Set(keys).size).toBe(amount)
        expect(keys.every((key) => /^[A-Za-z0-9]{32}$/.test(key))).toBe(true)
        expect((await keysOf(owner, project)).slice(-amount)).toEqual(keys)
        expect(await readUser(owner, keys.at(-1) ?? '')).toMatchObject({
          key_expires: START + 5,
          note: '12',
          created_at: START,
        })
      }
      expect(await countsOf(at(), project)).toEqual([1201, 1201])
    })

    test('rejects more than the limit per call, and states the limit', async () => {
      const { owner, project } = await placeOf()
      const { status, error } = await owner.post(`/projects/${project}/users/generate`, { amount: 1201 })
      expect(status).toBe(413)
      expect(error).toMatchObject({ code: 0, message: 'too many keys to generate', limit: 1200 })
    })

    test('fills a service tier to its limit and creates nothing beyond it', async () => {
      const tier = await createTier(at(), { max_users: 600 })
      const { owner, project } = await placeOf({ tier })
      const path = `/projects/${project}/users/generate`
      expect((await owner.post(path, { amount: 601 })).status).toBe(403)
      expect(await countsOf(at(), project)).toEqual([0, 0])
      expect((await owner.post(path, { amount: 600 })).status).toBe(200)
      const { error } = await owner.post(path, { amount: 1 })
      expect(error).toMatchObject({ code: 0, type: 'too_many_keys_to_generate' })
    })

    test('succeeds for exactly one of many concurrent calls for the last slots', async () => {
      const tier = await createTier(at(), { max_users: 400 })
      const { owner, project } = await placeOf({ tier })
      const calls = Array.from({ length: 6 }, () =>
        owner.post(`/projects/${project}/users/generate`, { amount: 300 }),
      )
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 403, 403, 403, 403, 403])
      expect(await countsOf(at(), project)).toEqual([300, 300])
    })

    test.each([
      [{ amount: 0 }, 'amount'],
      [{ amount: 1.5 }, 'amount'],
      [{}, 'amount'],
      [{ amount: 1, key_expires: 5 }, 'key_expires'],
    ])('rejects %j and names the field', async (body, field) => {
      const { owner, project } = await placeOf()
      const { error } = await owner.post(`/projects/${project}/users/generate`, body)
      expect(error.failed).toMatchObject([{ field }])
    })
  })

  test('POST /projects/:project_id/users/resetall unbinds bound users and ends their sessions', async () => {
    const { owner, project } = await placeOf()
    const [bound, unbound] = [await createUser(owner, project), await createUser(owner, project)]
    const other = await placeOf()
    const spared = await createUser(other.owner, other.project)
    for (const [place, key] of [
      [project, bound],
      [other.project, spared],
    ] as const)
      await bindDevice(at(), place, key)
    const script = await createScript(owner, project)
    await run(owner, script, project, bound)
    await run(owner, script, project, null)
    await owner.post(`/projects/${project}/edit`, { allow_fingerprint_resets: false })
    expect((await owner.post(`/projects/${project}/users/resetall`)).body).toEqual({ success: true })
    expect(await readUser(owner, bound)).toMatchObject({
      fingerprint_assigned: false,
      service_fingerprint: '',
      last_reset: START,
      total_fingerprint_resets: 1,
    })
    expect(await readUser(owner, unbound)).toMatchObject({ last_reset: 0, total_fingerprint_resets: 0 })
    expect(await readUser(other.owner, spared)).toMatchObject({ fingerprint_assigned: true })
    expect([await countComponents(at(), bound), await countComponents(at(), spared)]).toEqual([0, 1])
    expect(await running(project)).toEqual([null])
  })

  test('POST /projects/:project_id/users/purge removes only unused users', async () => {
    const { owner, project } = await placeOf()
    const prefix = project.slice(-8)
    const used = [{ chat_id: '1' }, { fingerprint_assigned: 1 as const }, {}]
    const kept = await plantUsers(
      at(),
      { owner, project },
      used.map((user, index) => ({ ...user, key: `${prefix}-used-${index}` })),
    )
    await changeRows(at(), 'users', { key: kept[2] ?? '' }, { executions: 1 })
    await plantUsers(at(), { owner, project }, Array(700).fill({ note: 'unused', executor: 'Wave' }))
    expect((await owner.post(`/projects/${project}/users/purge`)).body).toEqual({ success: true })
    expect(await keysOf(owner, project)).toEqual(kept)
    expect(await countsOf(at(), project)).toEqual([3, 3])
  })

  test('POST /projects/:project_id/users/clear removes all users of only this project', async () => {
    const { owner, project } = await placeOf()
    const second = await createProject(owner)
    await plantUsers(at(), { owner, project }, Array(300).fill({ chat_id: null }))
    await plantUsers(at(), { owner, project: second }, [{}, {}])
    await bindDevice(at(), project, (await keysOf(owner, project))[0] ?? '')
    expect((await owner.post(`/projects/${project}/users/clear`)).body).toEqual({ success: true })
    expect(await keysOf(owner, project)).toEqual([])
    expect(await countsOf(at(), project)).toEqual([0, 0])
    expect(await countsOf(at(), second)).toEqual([2, 2])
  })

  describe('POST /projects/:project_id/users/compensate', () => {
    const END = 253_402_300_799_999
    const expiries = [null, START - 10, START, START + 10, END - 3]
    const compensated = async (compensate_expired: boolean) => {
      const { owner, project } = await placeOf()
      await plantUsers(
        at(),
        { owner, project },
        expiries.map((key_expires) => ({ key_expires })),
      )
      const body = { duration: 5, compensate_expired }
      expect((await owner.post(`/projects/${project}/users/compensate`, body)).body).toEqual({
        success: true,
      })
      const { users } = (await owner.get(`/projects/${project}/users`)).body as {
        users: { key_expires: number }[]
      }
      return users.map(({ key_expires }) => key_expires)
    }

    test('adds the duration to keys that have not expired', async () => {
      expect(await compensated(false)).toEqual([null, START - 10, START, START + 15, END])
    })
    test('adds it to expired keys when requested', async () => {
      expect(await compensated(true)).toEqual([null, START + 5, START + 5, START + 15, END])
    })
    test.each([
      [{ duration: -1, compensate_expired: true }, 'duration'],
      [{ duration: 1 }, 'compensate_expired'],
      [{ compensate_expired: false }, 'duration'],
    ])('rejects %j and names the field', async (body, field) => {
      const { owner, project } = await placeOf()
      const { error } = await owner.post(`/projects/${project}/users/compensate`, body)
      expect(error.failed).toMatchObject([{ field }])
    })
  })
})
