/** Reading, editing, resetting and removing a user through the unversioned API. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import {
  bindDevice,
  changeUser,
  countComponents,
  createOwner,
  createUser,
  expire,
  readUser,
} from '../../../../test/nouns.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)

  async function userOf(members = {}): Promise<{ owner: Owner; project: string; key: string }> {
    const { owner, project } = await createOwner(at())
    return { owner, project, key: await createUser(owner, project, members) }
  }

  describe('GET /users/:user_key', () => {
    test('returns exactly the fields in the interface', async () => {
      const { owner, project, key } = await userOf({ chat_id: '42', note: 'n' })
      await bindDevice(at(), project, key)
      const { body } = await owner.get(`/users/${key}`)
      expect(body).toEqual({
        success: true,
        user: {
          key,
          chat_id: '42',
          fingerprint_assigned: true,
          executor: 'Wave',
          executions: 0,
          key_expires: null,
          last_reset: 0,
          total_fingerprint_resets: 0,
          note: 'n',
          blacklisted: false,
          blacklist_reason: null,
          blacklist_expires: null,
          service_fingerprint: '203.0.*.* -> ip\n3fa9…c17e -> fingerprint\nWa** -> executor',
        },
      })
    })

    test('shows "none" for an unknown fingerprint component', async () => {
      const { owner, project, key } = await userOf()
      await bindDevice(at(), project, key)
      await changeUser(at(), key, { fingerprint_display: '{"fingerprint":"00aa…ff11"}' })
      expect((await readUser(owner, key)).service_fingerprint).toBe(
        'none -> ip\n00aa…ff11 -> fingerprint\nnone -> executor',
      )
    })

    test('shows a blacklist until the millisecond it ends and hides it from then on', async () => {
      const { owner, key } = await userOf()
      const end = START + HOUR
      await changeUser(at(), key, {
        blacklisted: 1,
        blacklist_reason: 'shared',
        blacklist_expires: end,
      })
      const shownAt = async (now: number) => {
        at().clock.now = now
        const { blacklisted, blacklist_reason, blacklist_expires } = await readUser(owner, key)
        at().clock.now = START
        return [blacklisted, blacklist_reason, blacklist_expires]
      }
      expect(await shownAt(end - 1)).toEqual([true, 'shared', end])
      expect(await shownAt(end)).toEqual([false, null, null])
    })
  })

  describe('POST /users/:user_key/edit', () => {
    test('changes only the given fields', async () => {
      const { owner, key } = await userOf({ chat_id: '1', key_expires: START, note: 'old' })
      expect((await owner.post(`/users/${key}/edit`, { note: 'new' })).body).toEqual({ success: true })
      expect(await readUser(owner, key)).toMatchObject({ chat_id: '1', key_expires: START, note: 'new' })
      await owner.post(`/users/${key}/edit`, { chat_id: '2', key_expires: START + 1, note: null })
      expect(await readUser(owner, key)).toMatchObject({ chat_id: '2', key_expires: START + 1, note: 'new' })
    })

    test('clears a string with an empty one and an expiry date with 0', async () => {
      const { owner, key } = await userOf({ chat_id: '1', key_expires: START, note: 'old' })
      const { status } = await owner.post(`/users/${key}/edit`, { chat_id: '', key_expires: 0, note: ' ' })
      expect(status).toBe(200)
      expect(await readUser(owner, key)).toMatchObject({ chat_id: null, key_expires: null, note: null })
    })

    test('stores a numeric note as a string', async () => {
      const { owner, key } = await userOf()
      await owner.post(`/users/${key}/edit`, { note: 12 })
      expect((await readUser(owner, key)).note).toBe('12')
    })

    test.each([{}, undefined, { note: null, chat_id: null, key_expires: null }])(
      'rejects %j because it changes nothing',
      async (members) => {
        const { owner, key } = await userOf()
        const { status, error } = await owner.post(`/users/${key}/edit`, members)
        expect(status).toBe(400)
        expect(error).toMatchObject({ code: 2, type: 'cannot_edit_nothing', message: 'cannot edit nothing' })
      },
    )

    test("rejects another user's chat ID but accepts the user's own", async () => {
      const { owner, project, key } = await userOf({ chat_id: '1' })
      await createUser(owner, project, { chat_id: '2' })
      const { status, error } = await owner.post(`/users/${key}/edit`, { chat_id: '2', note: 'n' })
      expect(status).toBe(409)
      expect(error).toMatchObject({
        code: 1,
        type: 'chat_already_has_key',
        message: 'key already exists with this discord (chat) account',
      })
      expect(await readUser(owner, key)).toMatchObject({ chat_id: '1', note: null })
      expect((await owner.post(`/users/${key}/edit`, { chat_id: '1' })).status).toBe(200)
    })

    test('assigns a chat ID to only one of many users at the same time', async () => {
      const { owner, project } = await userOf()
      const keys = await Promise.all(Array.from({ length: 12 }, () => createUser(owner, project)))
      const answers = await Promise.all(keys.map((key) => owner.post(`/users/${key}/edit`, { chat_id: '5' })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(11).fill(409)])
    })

    test.each(['max_instances', 'max_executions', 'use_fingerprint', 'blacklist_reason'])(
      'rejects %s, which is available only under /v1',
      async (member) => {
        const { owner, key } = await userOf()
        const { status, error } = await owner.post(`/users/${key}/edit`, { [member]: 1 })
        expect(status).toBe(400)
        expect(error.failed).toMatchObject([{ field: member }])
      },
    )
  })

  describe('POST /users/:user_key/reset', () => {
    test('unbinds the device, counts the reset and stores its time', async () => {
      const { owner, project, key } = await userOf()
      await bindDevice(at(), project, key)
      expect((await owner.post(`/users/${key}/reset`)).body).toEqual({ success: true })
      expect(await readUser(owner, key)).toMatchObject({
        fingerprint_assigned: false,
        service_fingerprint: '',
        last_reset: START,
        total_fingerprint_resets: 1,
        executor: 'Wave',
      })
      expect(await countComponents(at(), key)).toBe(0)
    })

    test('fails during the cooldown with the time it ends, unless forced', async () => {
      const { owner, project, key } = await userOf()
      await bindDevice(at(), project, key)
      await owner.post(`/users/${key}/reset`, { force: true })
      await bindDevice(at(), project, key)
      const resetAt = async (now: number, body: object) => {
        at().clock.now = now
        const answer = await owner.post(`/users/${key}/reset`, body)
        at().clock.now = START
        return answer
      }
      const { status, error } = await resetAt(START + DAY - 1, {})
      expect(status).toBe(409)
      expect(error).toMatchObject({
        code: 2,
        type: 'fingerprint_reset_on_cooldown',
        message: expect.stringContaining(`User ${key}'s fingerprint can't be reset yet`),
        retry_at: START + DAY,
      })
      expect(await countComponents(at(), key)).toBe(1)
      expect((await resetAt(START + DAY, { force: null })).status).toBe(200)
      await bindDevice(at(), project, key)
      expect((await resetAt(START + DAY + 1, { force: true })).status).toBe(200)
      expect(await readUser(owner, key)).toMatchObject({ total_fingerprint_resets: 3 })
    })

    test('fails if resets are disabled, unless forced', async () => {
      const { owner, project, key } = await userOf()
      await bindDevice(at(), project, key)
      await owner.post(`/projects/${project}/edit`, { allow_fingerprint_resets: false })
      const { status, error } = await owner.post(`/users/${key}/reset`, { force: false })
      expect(status).toBe(403)
      expect(error).toMatchObject({
        code: 1,
        type: 'fingerprint_resets_disabled',
        message: expect.stringContaining('allow_fingerprint_resets is false'),
      })
      expect((await owner.post(`/users/${key}/reset`, { force: true })).status).toBe(200)
    })

    test.each([false, true])('fails without a bound device, with force %s', async (force) => {
      const { owner, key } = await userOf()
      const { status, error } = await owner.post(`/users/${key}/reset`, { force })
      expect(status).toBe(409)
      expect(error).toMatchObject({
        code: 3,
        message: expect.stringContaining(`User ${key} has no fingerprint assigned`),
      })
      expect(await readUser(owner, key)).toMatchObject({ last_reset: 0, total_fingerprint_resets: 0 })
    })

    test('returns errors in the order of their codes', async () => {
      const { owner, project, key } = await userOf()
      await changeUser(at(), key, { last_reset: START })
      const code = async () => (await owner.post(`/users/${key}/reset`, {})).error.code
      expect(await code()).toBe(2)
      await owner.post(`/projects/${project}/edit`, { allow_fingerprint_resets: false })
      expect(await code()).toBe(1)
      await expire(at(), owner.id)
      expect(await code()).toBe(0)
    })

    test('counts only one of many simultaneous resets', async () => {
      const { owner, project, key } = await userOf()
      await bindDevice(at(), project, key)
      const reset = () => owner.post(`/users/${key}/reset`, { force: true })
      const statuses = (await Promise.all(Array.from({ length: 10 }, reset))).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(409)])
      expect(await readUser(owner, key)).toMatchObject({ total_fingerprint_resets: 1 })
    })
  })

  describe('POST /users/:user_key/remove', () => {
    test('removes a user and the fingerprint, even for an expired account', async () => {
      const { owner, project, key } = await userOf()
      await bindDevice(at(), project, key)
      await expire(at(), owner.id)
      expect((await owner.post(`/users/${key}/remove`)).body).toEqual({ success: true })
      expect((await owner.get(`/users/${key}`)).status).toBe(404)
      expect(await countComponents(at(), key)).toBe(0)
    })
  })
})
