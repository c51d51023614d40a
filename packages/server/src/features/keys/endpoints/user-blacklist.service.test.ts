/** Blacklisting, unblacklisting and linking a user, in both APIs. */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import { createOwner, createScript, createUser, readUser } from '../../../../test/nouns.ts'
import { instance } from '../../../../test/store/rows.ts'
import { changeRows, insertRows, rowsOf } from '../../../../test/stored.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)
  const userOf = async (members = {}): Promise<{ owner: Owner; project: string; key: string }> => {
    const { owner, project } = await createOwner(at())
    return { owner, project, key: await createUser(owner, project, members) }
  }

  describe('blacklisting', () => {
    test.each([
      ['', undefined, null],
      ['', { expires: null, reason: null }, null],
      ['', { expires: String(START + 1) }, START + 1],
      ['', { expires: START + 1 }, START + 1],
      ['', { expires: '0' }, null],
      ['/v1', { expires: null }, null],
      ['/v1', { expires: 0 }, null],
      ['/v1', { expires: START + 1 }, START + 1],
    ])('by POST %s/users/:user_key/blacklist accepts %j', async (family, body, expires) => {
      const { owner, key } = await userOf()
      expect((await owner.post(`${family}/users/${key}/blacklist`, body)).body).toEqual({ success: true })
      expect(await readUser(owner, key)).toMatchObject({
        blacklisted: true,
        blacklist_reason: null,
        blacklist_expires: expires,
      })
    })

    test('stores the reason as a string', async () => {
      const { owner, key } = await userOf()
      await owner.post(`/users/${key}/blacklist`, { expires: null, reason: 42 })
      expect(await readUser(owner, key)).toMatchObject({ blacklist_reason: '42' })
    })

    test('ends only the runs of that user', async () => {
      const { owner, project, key } = await userOf()
      const other = await createUser(owner, project)
      const script_id = await createScript(owner, project)
      for (const user_key of [key, other]) {
        const row = { ...instance, exec: `exe_${user_key}`, project_id: project, script_id, user_key }
        await insertRows(at(), 'instances', row)
      }
      await owner.post(`/users/${key}/blacklist`, { expires: null })
      const left = await rowsOf(at(), 'instances', { kick: null, project_id: project })
      expect(left.map(({ user_key }) => user_key)).toEqual([other])
    })

    test.each([
      ['', { expires: START }, 'expires'],
      ['', { expires: '17' }, 'expires'],
      ['', { expires: 'tomorrow' }, 'expires'],
      ['', { expires: -1 }, 'expires'],
      ['', { reason: 'x'.repeat(256) }, 'reason'],
      ['/v1', { expires: START - 1 }, 'expires'],
      ['/v1', { expires: String(START + 1) }, 'expires'],
      ['/v1', {}, 'expires'],
    ])('by POST %s/users/:user_key/blacklist rejects %j and names the field', async (family, body, field) => {
      const { owner, key } = await userOf()
      const { error } = await owner.post(`${family}/users/${key}/blacklist`, body)
      expect(error).toMatchObject({ type: 'invalid_request', failed: [{ field }] })
      expect(await readUser(owner, key)).toMatchObject({ blacklisted: false })
    })

    test('is possible again after the old blacklist ended, without unblacklisting first', async () => {
      const { owner, key } = await userOf()
      await owner.post(`/users/${key}/blacklist`, { expires: at().clock.now + 5, reason: 'first' })
      const { error } = await owner.post(`/users/${key}/blacklist`, { reason: 'second' })
      expect(error).toMatchObject({ code: 0, message: `User ${key} is already blocked.` })
      at().clock.now += 5
      expect(await readUser(owner, key)).toMatchObject({ blacklisted: false, blacklist_reason: null })
      expect((await owner.post(`/users/${key}/unblacklist`)).error).toMatchObject({ code: 0 })
      expect((await owner.post(`/users/${key}/blacklist`)).status).toBe(200)
      expect(await readUser(owner, key)).toMatchObject({ blacklisted: true, blacklist_reason: null })
    })

    test('is reverted by POST /users/:user_key/unblacklist, which clears every blacklist field', async () => {
      const { owner, key } = await userOf()
      await owner.post(`/users/${key}/blacklist`, { reason: 'r', expires: at().clock.now + 5 })
      expect((await owner.post(`/users/${key}/unblacklist`)).body).toEqual({ success: true })
      expect(await readUser(owner, key)).toMatchObject({
        blacklisted: false,
        blacklist_reason: null,
        blacklist_expires: null,
      })
    })

    test('happens only once for simultaneous requests', async () => {
      const { owner, key } = await userOf()
      const calls = Array.from({ length: 8 }, () => owner.post(`/users/${key}/blacklist`))
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.filter((status) => status === 409)).toHaveLength(7)
    })
  })

  describe('linking a Discord account', () => {
    test('by POST /users/:user_key/link works once, and again only with force', async () => {
      const { owner, key } = await userOf()
      const link = (chat_id: string, force: boolean) => owner.post(`/users/${key}/link`, { chat_id, force })
      expect((await link(' 1 ', false)).body).toEqual({ success: true })
      expect((await link('2', false)).error).toMatchObject({
        code: 1,
        message: expect.stringContaining(`User ${key} is already linked`),
      })
      expect((await link('1', false)).error).toMatchObject({ code: 1 })
      expect(await readUser(owner, key)).toMatchObject({ chat_id: '1' })
      expect((await link('2', true)).status).toBe(200)
      expect((await link('2', true)).status).toBe(200)
      expect(await readUser(owner, key)).toMatchObject({ chat_id: '2' })
    })

    test('rejects a chat ID linked to another user, even with force', async () => {
      const { owner, project, key } = await userOf()
      await createUser(owner, project, { chat_id: '7' })
      for (const force of [true, false]) {
        const { status, error } = await owner.post(`/users/${key}/link`, { chat_id: '7', force })
        expect(status).toBe(409)
        expect(error).toMatchObject({
          code: 2,
          message: 'key already exists with this discord (chat) account',
        })
      }
    })

    test('accepts a request without force only in the unversioned API', async () => {
      const { owner, key } = await userOf()
      const { error } = await owner.post(`/v1/users/${key}/link`, { chat_id: '1' })
      expect(error.failed).toMatchObject([{ field: 'force' }])
      expect((await owner.post(`/users/${key}/link`, { chat_id: '1', force: null })).status).toBe(200)
    })

    test.each([
      {},
      { chat_id: null },
      { chat_id: '' },
      { chat_id: '  ' },
      { chat_id: 5 },
      { chat_id: 'a\tb' },
    ])('rejects %j and names the field', async (body) => {
      const { owner, key } = await userOf()
      const { error } = await owner.post(`/users/${key}/link`, body)
      expect(error.failed).toMatchObject([{ field: 'chat_id' }])
    })

    test('links a chat ID to only one of two users at the same time', async () => {
      const { owner, project, key } = await userOf()
      const keys = [key, await createUser(owner, project), await createUser(owner, project)]
      const calls = keys.map((one) => owner.post(`/users/${one}/link`, { chat_id: '5' }))
      const statuses = (await Promise.all(calls)).map(({ status }) => status)
      expect(statuses.toSorted()).toEqual([200, 409, 409])
    })
  })

  test("only a forced reset ends the user's runs", async () => {
    const { owner, project, key } = await userOf()
    const script_id = await createScript(owner, project)
    const row = { ...instance, exec: `exe_${key}`, project_id: project, script_id, user_key: key }
    await insertRows(at(), 'instances', row)
    const bind = () => changeRows(at(), 'users', { key }, { fingerprint_assigned: 1 })
    const left = async () => (await rowsOf(at(), 'instances', { user_key: key, kick: null })).length
    await bind()
    expect((await owner.post(`/users/${key}/reset`, { force: false })).status).toBe(200)
    expect(await left()).toBe(1)
    await bind()
    expect((await owner.post(`/users/${key}/reset`, { force: true })).status).toBe(200)
    expect(await left()).toBe(0)
  })
})
