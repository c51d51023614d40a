/**
 * Filtering and paging a project's denials returns each denial exactly once, and none from other projects.
 */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import { createOwner, createUser } from '../../../../test/nouns.ts'
import { denial } from '../../../../test/store/rows.ts'
import { SCAN_CHUNK } from '../denials/denial-lists.ts'

type Listed = { user_key: string | null; reason: string; script_id: string; last_at: number }

describe.each(anyEngine)('the denials of a project on $name', (engine) => {
  const { at } = serverOn(engine)

  async function scene() {
    const { owner, project } = await createOwner(at())
    const users = [await createUser(owner, project), await createUser(owner, project)]
    const write = (rows: readonly object[]) =>
      at().deps.db.transaction(async (tx) => {
        for (let i = 0; i < rows.length; i += 1000)
          await tx
            .insertInto('denials')
            .values(rows.slice(i, i + 1000).map((row) => ({ ...denial, project_id: project, ...row })))
            .execute()
      })
    return { owner, users, write, path: `/v1/projects/${project}/denials/filter` }
  }

  async function all(owner: Owner, path: string, query = ''): Promise<Listed[]> {
    const found: Listed[] = []
    for (let after = ''; ; ) {
      const { body } = await owner.get(`${path}?limit=3${query}${after}`)
      found.push(...(body.denials as Listed[]))
      if (body.next === null) return found
      after = `&after=${body.next}`
    }
  }

  it('are listed with and without a key, newest first, page by page', async () => {
    const { owner, users, write, path } = await scene()
    const times = [5, 9, 1, 9, 7, 9, 3, 2]
    await write(times.map((last_at, i) => ({ user_key: [users[0], users[1], null][i % 3], last_at })))
    const neighbor = await scene()
    await neighbor.write([{ user_key: neighbor.users[0], last_at: 8 }])
    const listed = await all(owner, path)
    expect(listed.map(({ last_at }) => last_at)).toEqual([9, 9, 9, 7, 5, 3, 2, 1])
    expect(listed.map(({ user_key }) => user_key)).toEqual(
      [5, 3, 1, 4, 0, 6, 7, 2].map((i) => [users[0], users[1], null][i % 3]),
    )
    expect(listed[0]).toEqual({
      ...{ user_key: null, note: null, chat_id: null },
      ...{ reason: 'key_expired', code: 11, value: null, allowed_at: null },
      ...{ script_id: denial.script_id, script_version: 1, count: 1, left_out: 0 },
      client: { ip: '203.0.*.*', fingerprint: 'none', executor: 'lua5.1', runtime: 'lua5.1' },
      ...{ first_at: denial.first_at, last_at: 9 },
    })
    expect((await owner.get(path)).body).toEqual({ success: true, denials: listed, next: null })
  })

  it('include the note and Discord account of their user', async () => {
    const { owner, users, write, path } = await scene()
    await owner.post(`/v1/users/${users[0]}/edit`, { note: 'Order 1042', chat_id: '300000000000000001' })
    await write([users[0], null].map((user_key, last_at) => ({ user_key, last_at })))
    expect(await all(owner, path)).toMatchObject([
      { user_key: null, note: null, chat_id: null },
      { user_key: users[0], note: 'Order 1042', chat_id: '300000000000000001' },
    ])
  })

  it('are found by each filter and by all combined', async () => {
    const { owner, users, write, path } = await scene()
    const [user_key] = users
    await write([
      { user_key, last_at: 1, reason: 'blacklisted', script_id: 'scr_a', executor: 'Garden' },
      { user_key, last_at: 2, reason: 'blacklisted', script_id: 'scr_b', executor: 'Garden' },
      { user_key: null, last_at: 3, reason: 'invalid_key', script_id: 'scr_a', executor: 'Garden' },
      { user_key: users[1], last_at: 4, reason: 'blacklisted', script_id: 'scr_a', executor: 'Shed' },
    ])
    const found = async (query: string) => (await all(owner, path, query)).map(({ last_at }) => last_at)
    expect(await found('&reason=blacklisted')).toEqual([4, 2, 1])
    expect(await found('&script_id=scr_a')).toEqual([4, 3, 1])
    expect(await found('&executor=Garden')).toEqual([3, 2, 1])
    expect(await found(`&user_key=${user_key}`)).toEqual([2, 1])
    expect(await found('&from=2&to=3')).toEqual([3, 2])
    expect(
      await found(`&reason=blacklisted&executor=Garden&script_id=scr_a&user_key=${user_key}&to=1`),
    ).toEqual([1])
    expect(await found('&executor=&script_id=')).toEqual([4, 3, 2, 1])
    expect(await found('&executor=Orchard')).toEqual([])
    for (const wrong of ['reason=tired', 'limit=0', 'limit=1001', 'after=x', 'from=yesterday']) {
      const { status, error } = await owner.get(`${path}?${wrong}`)
      expect([wrong, status, error.type]).toEqual([wrong, 400, 'invalid_request'])
    }
  })

  it('are found beyond the scan limit of one query', async () => {
    const { owner, write, path } = await scene()
    const many = Array.from({ length: SCAN_CHUNK * 2 }, (_, i) => ({
      user_key: null,
      last_at: START + (i >> 1),
    }))
    await write([{ user_key: null, last_at: 2, reason: 'blacklisted' }, ...many])
    await write([{ user_key: null, last_at: START + SCAN_CHUNK, reason: 'blacklisted' }])
    const found = await all(owner, path, '&reason=blacklisted')
    expect(found.map(({ last_at }) => last_at)).toEqual([START + SCAN_CHUNK, 2])
  })
})
