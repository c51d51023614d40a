/** Filtering a project's sessions, and the stream of events about sessions that start and end. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { joinSession } from '../../../test/live-sessions.ts'
import { furnish } from '../../../test/subjects.ts'
import { watch } from '../../../test/watch-events.ts'

describe.each(anyEngine)('the sessions of a project on $name', (engine) => {
  const { at } = serverOn(engine)

  const furnished = async () => {
    const { owner, ids } = await furnish(at())
    const { project_id = '', script_id = '', user_key = '' } = ids
    const owned = { customer_id: owner.id, project_id, script_id, user_key }
    return { owner, owned, project_id, path: `/v1/projects/${project_id}/sessions` }
  }

  it('can be watched from start to end, without those of other projects', async () => {
    const { owner, owned, path, project_id } = await furnished()
    const stream = await watch(`${at().url}${path}/events`, owner.apiKey)
    expect(await stream.next()).toMatch(/^:/)
    const other = await furnished()
    joinSession(at(), other.owned)
    const session = joinSession(at(), owned)
    const opened = await stream.next()
    expect(opened.split('\n')[0]).toBe('event: opened')
    const told = JSON.parse(opened.split('data: ')[1] ?? '') as object
    expect(told).toMatchObject({ id: session.id, project_id, state: 'ready' })
    expect(told).not.toHaveProperty('customer_id')
    expect(told).not.toHaveProperty('exec')
    const key = owned.user_key
    expect(told).toMatchObject({ user_key: `${key.slice(0, 4)}…${key.slice(-4)}` })
    expect(opened).not.toContain(key)
    session.detach(1)
    expect(await stream.next()).toMatch(/^event: detached\ndata: .*"state":"detached"/)
    await owner.post(`${path}/disconnect`, {})
    // The test setup has already opened one session.
    expect((await stream.next()).startsWith('event: closed')).toBe(true)
    expect((await stream.next()).startsWith('event: closed')).toBe(true)
    await stream.close()
    await watchers(project_id, 0)
  })

  describe('are listed', () => {
    type Listed = { id: string; state: string }
    const pages = async (owner: Owner, path: string, query = '') => {
      const found: Listed[] = []
      for (let after = ''; ; ) {
        const { body } = await owner.get(`${path}?limit=2${query}${after}`)
        found.push(...(body.sessions as Listed[]))
        if (body.next === null) return found
        after = `&after=${body.next}`
      }
    }
    const idsOf = (listed: readonly Listed[]) => listed.map(({ id }) => id)

    it('page by page in order of their start, each once, while others start and end', async () => {
      const { owner, owned, path } = await furnished()
      await owner.post(`${path}/disconnect`, {})
      const begun = [5, 1, 1, 9, 3].map((created_at) => joinSession(at(), { ...owned, created_at }))
      await furnished()
      const inOrder = begun
        .map(({ session }) => session)
        .sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1))
      expect(idsOf(await pages(owner, path))).toEqual(idsOf(inOrder))
      expect(idsOf(await pages(owner, path, '&order=newest'))).toEqual(idsOf(inOrder.toReversed()))
      const first = await owner.get(`${path}?limit=2`)
      expect(first.body).toMatchObject({ total: 5 })
      begun.find(({ id }) => id === inOrder[1]?.id)?.leave()
      joinSession(at(), { ...owned, created_at: 0 })
      const second = await owner.get(`${path}?limit=2&after=${first.body.next}`)
      expect(idsOf(second.body.sessions as Listed[])).toEqual(idsOf(inOrder.slice(2, 4)))
      for (const query of [
        `order=newest&after=${first.body.next}`,
        'after=x',
        `from=1&after=${first.body.next}`,
      ])
        expect((await owner.get(`${path}?${query}`)).error.type).toBe('invalid_request')
    })

    it('by every field of the filter', async () => {
      const { owner, owned, path } = await furnished()
      const members = {
        user_key: null,
        executor: 'Garden',
        game_user_id: '7',
        place_id: '8',
        job_id: 'job',
        script_id: 'scr_other',
      }
      const other = joinSession(at(), { ...owned, ...members })
      for (const [member, value] of Object.entries(members)) {
        if (value === null) continue
        const { body } = await owner.get(`${path}?${member}=${value}`)
        expect([member, idsOf(body.sessions as Listed[]), body.total]).toEqual([member, [other.id], 1])
      }
      const { body } = await owner.get(`${path}?user_key=${owned.user_key}&executor=luajit&place_id=`)
      expect(body.total).toBe(1)
      expect((await owner.post(`${path}/disconnect`, { executor: 'Garden' })).body.responses).toMatchObject([
        { session_id: other.id, processed: true },
      ])
    })

    it('so that the list and later events together miss no session and include no ended one', async () => {
      const { owner, owned, path } = await furnished()
      for (let i = 0; i < 20; i += 1) joinSession(at(), { ...owned, created_at: i })
      const stream = await watch(`${at().url}${path}/events`, owner.apiKey)
      await stream.next()
      const events: { type: string; session: Listed }[] = []
      const read = async () => {
        const [name = '', data = ''] = (await stream.next()).split('\n')
        events.push({ type: name.slice(7), session: JSON.parse(data.slice(6)) })
      }
      const listing = pages(owner, path)
      for (let made = 1; made <= 15; made += 1) {
        const newer = joinSession(at(), { ...owned, created_at: 100 + made })
        if (made % 2 === 0) newer.detach(at().clock.now)
        const [first] = await at().deps.sessions.hub.list({ project_id: owned.project_id })
        await at().deps.sessions.network.disconnect({ id: first?.id ?? '' })
        for (let n = made % 2 === 0 ? 3 : 2; n > 0; n -= 1) await read()
      }
      const listed = await listing
      const closed = new Set(events.filter(({ type }) => type === 'closed').map(({ session }) => session.id))
      const known = new Map(listed.map((one) => [one.id, one]))
      for (const { session } of events) known.set(session.id, session)
      for (const id of closed) known.delete(id)
      const there = await at().deps.sessions.hub.list({ project_id: owned.project_id })
      expect([...known.values()].map(({ id, state }) => `${id} ${state}`).sort()).toEqual(
        there.map(({ id, state }) => `${id} ${state}`).sort(),
      )
      await stream.close()
    })
  })

  it('have at most sixteen watchers, and accept a new one when one has left', async () => {
    const { owner, path, project_id } = await furnished()
    const streams = await Promise.all(
      Array.from({ length: 16 }, () => watch(`${at().url}${path}/events`, owner.apiKey)),
    )
    expect((await owner.get(`${path}/events`)).error.type).toBe('rate_limited')
    await streams[0]?.close()
    await watchers(project_id, 15)
    streams[0] = await watch(`${at().url}${path}/events`, owner.apiKey)
    for (const stream of streams) await stream.close()
    await watchers(project_id, 0)
  })

  it('reject a broadcast that is too large in total', async () => {
    const { owner, owned, path } = await furnished()
    for (let i = 0; i < 2100; i += 1) joinSession(at(), owned)
    const answer = await owner.post(`${path}/message`, { key: 'k', data: 'x'.repeat(64_000) })
    expect(answer.error).toMatchObject({ type: 'invalid_request', failed: [{ field: 'data' }] })
    const { body } = await owner.post(`${path}/disconnect`, { user_key: owned.user_key })
    expect((body.responses as { processed: boolean }[]).filter(({ processed }) => processed)).toHaveLength(
      2101,
    )
  })

  /** Waits until there are this many watchers, because the server notices closed streams with a delay. */
  const watchers = (projectId: string, wanted: number) =>
    expect.poll(() => at().deps.sessions.hub.countListeners(projectId)).toBe(wanted)
})
