/** Following a project's executions: nothing from other projects, nothing skipped, and nothing read again. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { createOwner, createScript } from '../../../../test/nouns.ts'
import { run as runScript } from '../../../../test/protocol/running.ts'
import { makeScene } from '../../../../test/protocol/scene.ts'
import { instance } from '../../../../test/store/rows.ts'
import { insertRows, rowOf } from '../../../../test/stored.ts'
import { ENDED_RETENTION_MS } from '../../sessions/store/instances.ts'

describe.each(engines)('the executions of a project on $name', (engine) => {
  const { at } = serverOn(engine)

  it('can be followed with a cursor that skips no late commit', async () => {
    const { owner, project } = await createOwner(at())
    const script_id = await createScript(owner, project)
    const run = (exec: string, members: object = {}) =>
      insertRows(at(), 'instances', {
        ...instance,
        project_id: project,
        script_id,
        exec,
        granted_at: at().clock.now,
        expires_at: at().clock.now + 60_000,
        ...members,
      })
    const follow = async (after?: string, limit = 100) => {
      const query = `limit=${limit}${after === undefined ? '' : `&after=${after}`}`
      const { body } = await owner.get(`/v1/projects/${project}/executions/recent?${query}`)
      const { executions, next } = body as { executions: { id: string }[]; next: string }
      return { ids: executions.map(({ id }) => id), next }
    }
    const begin = await follow()
    expect(begin.ids).toEqual([])
    for (const id of ['a', 'b', 'c']) await run(`${project}-${id}`)
    await run(`${project}-foreign`, { project_id: 'prj_of_another' })
    const [a, b, c] = ['a', 'b', 'c'].map((id) => `${project}-${id}`)
    expect((await follow(undefined, 2)).ids).toEqual([b, c])
    const young = await follow(begin.next)
    expect(young.ids).toEqual([a, b, c])
    expect((await follow(young.next)).ids).toEqual([a, b, c])
    at().clock.now += 2000
    const first = await follow(begin.next, 2)
    expect(first.ids).toEqual([a, b])
    const rest = await follow(first.next, 2)
    expect(rest.ids).toEqual([c])
    expect((await follow(rest.next)).ids).toEqual([])
    expect((await owner.get(`/v1/projects/${project}/executions/recent?after=x`)).error.type).toBe(
      'invalid_request',
    )
  })

  it('are listed without keys for ten minutes after they end, even if they ended regularly', async () => {
    at().clock.now = START
    const scene = await makeScene(at())
    const shown = async () => {
      const { body } = await scene.owner.get(`/v1/projects/${scene.projectId}/executions/recent`)
      return (body.executions as { id: string }[]).map(({ id }) => id)
    }
    const ended = await runScript(scene.client, scene.scriptId, { key: await scene.addUser() })
    expect((await ended.send(ended.endBody(), 'end')).status).toBe(200)
    const running = await runScript(scene.client, scene.scriptId, { key: await scene.addUser() })
    expect(await shown()).toEqual([ended.exec, running.exec])
    const nothing = { secrets: null, beat_keys: null, beat_reply: null, address: null, devices: null }
    expect(await rowOf(at(), 'instances', { exec: ended.exec })).toMatchObject(nothing)
    at().clock.now = START + ENDED_RETENTION_MS - 1
    expect(await shown()).toEqual([ended.exec, running.exec])
    at().clock.now = START + ENDED_RETENTION_MS
    expect(await shown()).toEqual([running.exec])
    at().clock.now = START
  })

  it('are found behind any number of runs in other projects', async () => {
    const scene = await makeScene(at())
    const { exec } = await runScript(scene.client, scene.scriptId, { key: await scene.addUser() })
    const now = at().clock.now
    const foreign = { ...instance, project_id: 'prj_busy', granted_at: now, expires_at: now + 60_000 }
    for (let i = 0; i < 6; i++)
      await insertRows(
        at(),
        'instances',
        Array.from({ length: 1000 }, (_, j) => ({ ...foreign, exec: `${exec}-${i}-${j}` })),
      )
    const { body } = await scene.owner.get(`/v1/projects/${scene.projectId}/executions/recent`)
    expect(body.executions).toMatchObject([{ id: exec }])
  })
})
