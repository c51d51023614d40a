/** Sessions of a project by filter, and the stream of their coming and going. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../databases.ts'
import { serverOn } from '../../harness.ts'
import { joinSession } from '../../live-sessions.ts'
import { furnish } from '../../subjects.ts'
import { watch } from '../../watch-events.ts'

describe.each(engines)('the sessions of a project on $name', (engine) => {
  const { at } = serverOn(engine)

  const furnished = async () => {
    const { owner, nouns } = await furnish(at())
    const { project_id = '', script_id = '', user_key = '' } = nouns
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
    // One session came with the furniture.
    expect((await stream.next()).startsWith('event: closed')).toBe(true)
    expect((await stream.next()).startsWith('event: closed')).toBe(true)
    await stream.close()
    await watchers(project_id, 0)
  })

  it('have sixteen watchers at most, and a new one when one has left', async () => {
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

  it('refuse a message to all that is too large in total', async () => {
    const { owner, owned, path } = await furnished()
    for (let i = 0; i < 2100; i += 1) joinSession(at(), owned)
    const answer = await owner.post(`${path}/message`, { key: 'k', data: 'x'.repeat(64_000) })
    expect(answer.error).toMatchObject({ type: 'invalid_request', failed: [{ field: 'data' }] })
    const { body } = await owner.post(`${path}/disconnect`, { user_key: owned.user_key })
    expect((body.responses as { processed: boolean }[]).filter(({ processed }) => processed)).toHaveLength(
      2101,
    )
  })

  /** Waits until so many watch: the server sees a moment later that a stream was closed. */
  const watchers = (projectId: string, wanted: number) =>
    expect.poll(() => at().deps.sessions.hub.countListeners(projectId)).toBe(wanted)
})
