/** Live sessions in the management API, with sessions registered in the server's own hub. */
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../../test/answers.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { joinSession } from '../../../test/live-sessions.ts'
import { changeRows } from '../../../test/stored.ts'
import { type Furnished, furnish } from '../../../test/subjects.ts'
import type { Command, Reply } from '../../protocol/sessions/commands.ts'
import type { Session } from '../../protocol/sessions/session.ts'

const WAIT_MS = 300
const SILENT = 'client never responded'
const GONE = { processed: false, reason: 'This session does not exist or has already closed.' }

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { sessionWaitMs: WAIT_MS } })

  function join(
    { owner, ids }: Furnished,
    changes: Partial<Session> = {},
    answer?: (command: Command) => Reply | undefined,
  ) {
    const { project_id = '', script_id = '', user_key = '' } = ids
    return joinSession(at(), { customer_id: owner.id, project_id, script_id, user_key, ...changes }, answer)
  }
  const echo = ({ data }: Command): Reply => ({ ok: true, data })

  describe('GET /v1/sessions/:session_id', () => {
    test('returns the complete record and nothing else', async () => {
      const furnished = await furnish(at())
      const { id } = join(furnished, { game_user_id: '1', place_id: '2', job_id: '3' })
      const { project_id, script_id, user_key } = furnished.ids
      expect((await furnished.owner.get(`/v1/sessions/${id}`)).body).toEqual({
        success: true,
        session: {
          ...{ id, project_id, script_id, user_key, executor: 'luajit', script_version: 1 },
          ...{ game_user_id: '1', place_id: '2', job_id: '3' },
          ...{ state: 'ready', created_at: START, last_seen: START },
        },
      })
    })

    test('does not find a session that has ended', async () => {
      const furnished = await furnish(at())
      const session = join(furnished, { user_key: null })
      expect((await furnished.owner.get(`/v1/sessions/${session.id}`)).body.session).toMatchObject({
        user_key: null,
      })
      session.leave()
      const { status, error } = await furnished.owner.get(`/v1/sessions/${session.id}`)
      expect({ status, ...error }).toMatchObject({ status: 404, code: -1, type: 'not_found' })
    })
  })

  describe.each(['users', 'scripts'])('GET /v1/%s/…/sessions', (noun) => {
    const pathOf = ({ ids }: Furnished) =>
      noun === 'users' ? `/v1/users/${ids.user_key}/sessions` : `/v1/scripts/${ids.script_id}/sessions`
    const idsIn = ({ body }: Answer) => (body.sessions as Session[]).map(({ id }) => id)

    test('lists sessions in order of their start, paged, with the total', async () => {
      const furnished = await furnish(at())
      const { owner, ids } = furnished
      const all = [ids.session_id, join(furnished).id, join(furnished).id]
      const path = pathOf(furnished)
      const whole = await owner.get(path)
      expect([idsIn(whole), whole.body.total]).toEqual([all, 3])
      const part = await owner.get(`${path}?from=1&limit=1`)
      expect([idsIn(part), part.body.total]).toEqual([[all[1]], 3])
      expect(idsIn(await owner.get(`${path}?from=9`))).toEqual([])
      expect(idsIn(await owner.get(`${path}?limit=0`))).toEqual([])
      expect(idsIn(await owner.get(`${path}/filter`))).toEqual(all)
    })

    test('lists no session of another account', async () => {
      const furnished = await furnish(at())
      join(await furnish(at()))
      expect(idsIn(await furnished.owner.get(pathOf(furnished)))).toEqual([furnished.ids.session_id])
    })

    test('filters by every field, alone and combined', async () => {
      const furnished = await furnish(at())
      const { owner, ids } = furnished
      const first = join(furnished, { game_user_id: '7', place_id: '8', job_id: 'a-b' }).id
      const second = join(furnished, { game_user_id: '7', place_id: '9' }).id
      const filter = async (query: string) => idsIn(await owner.get(`${pathOf(furnished)}/filter?${query}`))
      expect(await filter('game_user_id=7')).toEqual([first, second])
      expect(await filter('game_user_id=7&from=1')).toEqual([second])
      expect(await filter('place_id=9')).toEqual([second])
      expect(await filter('job_id=a-b')).toEqual([first])
      expect(await filter('game_user_id=7&place_id=8&job_id=a-b')).toEqual([first])
      expect(await filter('game_user_id=7&place_id=none')).toEqual([])
      expect(await filter('game_user_id=&place_id=9')).toEqual([second])
      const [other, mine] = noun === 'users' ? ['script_id', ids.script_id] : ['key', String(ids.user_key)]
      expect(await filter(`${other}=${mine}`)).toHaveLength(3)
      expect(await filter(`${other}=none`)).toEqual([])
    })
  })

  describe('POST /v1/sessions/:session_id/disconnect', () => {
    test('ends the session only once', async () => {
      const furnished = await furnish(at())
      const session = join(furnished)
      const end = () => furnished.owner.post(`/v1/sessions/${session.id}/disconnect`)
      const answers = await Promise.all([end(), end()])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
      expect(answers.find(({ status }) => status === 200)?.body).toEqual({ success: true })
      expect(session.isKicked()).toBe(true)
    })
  })

  describe('POST /v1/sessions/:session_id/message', () => {
    test("returns the client's response", async () => {
      const furnished = await furnish(at())
      const session = join(furnished, {}, echo)
      const data = { list: [1, 'zwei', { drei: null }], empty: {} }
      const { body } = await furnished.owner.post(`/v1/sessions/${session.id}/message`, { key: 'k', data })
      expect(body).toEqual({ success: true, processed: true, response: data })
      expect(session.received).toMatchObject([{ key: 'k', data, ttl: WAIT_MS }])
    })

    test('passes missing data on as missing', async () => {
      const furnished = await furnish(at())
      const session = join(furnished, {}, echo)
      const { body } = await furnished.owner.post(`/v1/sessions/${session.id}/message`, { key: 'k' })
      expect(body).toEqual({ success: true, processed: true, response: null })
      expect(session.received[0]?.data).toBe(null)
    })

    test.each([
      { reply: { ok: false, reason: 'boom' }, reason: 'function errored, message: boom' },
      { reply: { ok: false, reason: 'function doesnt exist' }, reason: 'function doesnt exist' },
      { reply: { ok: true, data: 5 }, reason: 'invalid return data' },
      { reply: undefined, reason: SILENT },
    ] as const)('reports "$reason" when the message was not processed', async ({ reply, reason }) => {
      const furnished = await furnish(at())
      const session = join(furnished, {}, () => reply)
      const { body } = await furnished.owner.post(`/v1/sessions/${session.id}/message`, { key: 'k' })
      expect(body).toEqual({ success: true, processed: false, reason })
    })

    test('reports a client that leaves while the message is pending', async () => {
      const furnished = await furnish(at())
      const session = join(furnished, {}, () => {
        setImmediate(() => session.leave())
        return undefined
      })
      const { body } = await furnished.owner.post(`/v1/sessions/${session.id}/message`, { key: 'k' })
      expect(body).toEqual({ success: true, processed: false, reason: 'session disconnected' })
    })

    test.each([
      { members: { key: '' }, field: 'key' },
      { members: { key: 'x'.repeat(101) }, field: 'key' },
      { members: { data: {} }, field: 'key' },
      { members: { key: 'k', data: 'x'.repeat(65_535) }, field: 'data' },
    ])('rejects a malformed $field before anything is sent to the client', async ({ members, field }) => {
      const furnished = await furnish(at())
      const session = join(furnished, {}, echo)
      const { status, error } = await furnished.owner.post(`/v1/sessions/${session.id}/message`, members)
      expect([status, error.failed]).toEqual([400, [{ field, errors: [expect.any(String)] }]])
      expect(session.received).toEqual([])
    })
  })

  describe('POST /v1/sessions/message', () => {
    test('answers in the order of the request', async () => {
      const furnished = await furnish(at())
      const silent = join(furnished).id
      const talking = join(furnished, {}, echo).id
      const theirs = join(await furnish(at()), {}, echo)
      const session_ids = [silent, 'ses_none', talking, theirs.id, talking]
      const { body } = await furnished.owner.post('/v1/sessions/message', {
        session_ids,
        key: 'k',
        data: [1],
      })
      expect(body).toEqual({
        success: true,
        responses: [
          { session_id: silent, processed: false, reason: SILENT },
          { session_id: 'ses_none', ...GONE },
          { session_id: talking, processed: true, response: [1] },
          { session_id: theirs.id, ...GONE },
          { session_id: talking, processed: true, response: [1] },
        ],
      })
      expect(theirs.received).toEqual([])
    })

    test('waits for all responses concurrently', async () => {
      const furnished = await furnish(at())
      const first = join(furnished)
      const last = join(furnished, {}, () => {
        first.reply(first.received[0]?.id ?? '', { ok: true, data: { after: 'the last was asked' } })
        return { ok: true }
      })
      const session_ids = [first.id, last.id]
      const { body } = await furnished.owner.post('/v1/sessions/message', { session_ids, key: 'k' })
      expect(body.responses).toMatchObject([
        { response: { after: 'the last was asked' } },
        { response: null },
      ])
    })
  })

  describe('POST /v1/sessions/disconnect', () => {
    test('ends existing sessions and reports missing ones', async () => {
      const furnished = await furnish(at())
      const [first, second] = [join(furnished), join(furnished)]
      const theirs = join(await furnish(at()))
      const session_ids = [second.id, 'none', theirs.id, first.id]
      expect((await furnished.owner.post('/v1/sessions/disconnect', { session_ids })).body).toEqual({
        success: true,
        responses: [
          { session_id: second.id, processed: true },
          { session_id: 'none', ...GONE },
          { session_id: theirs.id, ...GONE },
          { session_id: first.id, processed: true },
        ],
      })
      expect([first, second, theirs].map((one) => one.isKicked())).toEqual([true, true, false])
    })

    test.each([[[]], [null], ['ses_1'], [[1]], [Array(1001).fill('ses')]])(
      'rejects %j as session_ids',
      async (session_ids) => {
        const { owner } = await furnish(at())
        const { status } = await owner.post('/v1/sessions/disconnect', { session_ids })
        expect(status).toBe(400)
      },
    )
  })

  test('sessions are counted for the account and for their project', async () => {
    const furnished = await furnish(at())
    join(furnished)
    join(await furnish(at()))
    const { owner, ids } = furnished
    const account = await owner.get(`/customers/${owner.apiKey}`)
    expect(account.body.customer).toMatchObject({ total_sessions: 2 })
    const project = await owner.get(`/v1/projects/${ids.project_id}`)
    expect(project.body.project).toMatchObject({ total_sessions: 2 })
    const list = await owner.get('/v1/projects')
    expect(list.body.projects).toMatchObject([{ id: ids.project_id, total_sessions: 2 }])
  })

  test.each([
    { what: 'a forced fingerprint reset', path: 'users/:user_key/reset', body: { force: true } },
    { what: 'a blacklist', path: 'users/:user_key/blacklist', body: { expires: 0 } },
    { what: 'a reset of all users', path: 'projects/:project_id/users/resetall', body: undefined },
    { what: 'the removal of all users', path: 'projects/:project_id/users/clear', body: undefined },
    { what: 'the removal of the user', path: 'users/:user_key/remove', body: undefined },
    { what: 'the removal of the script', path: 'scripts/:script_id/remove', body: undefined },
    { what: 'the removal of the project', path: 'projects/:project_id/remove', body: undefined },
  ])('no session outlives $what', async ({ path, body }) => {
    const furnished = await furnish(at())
    const session = join(furnished)
    const theirs = join(await furnish(at()))
    await bind(furnished)
    const noun = path.replace(/:(\w+)/, (_, name: string) => furnished.ids[name] ?? '')
    expect((await furnished.owner.post(`/v1/${noun}`, body)).status).toBe(200)
    expect([session.isKicked(), theirs.isKicked()]).toEqual([true, false])
  })

  async function bind({ ids }: Furnished): Promise<void> {
    await changeRows(at(), 'users', { key: ids.user_key ?? '' }, { fingerprint_assigned: 1 })
  }
})
