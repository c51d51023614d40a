/** Following what runs in a project: nothing of others, nothing passed over, and what was seen is not read again for ever. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../databases.ts'
import { serverOn } from '../../harness.ts'
import { createOwner, createScript } from '../../nouns.ts'
import { instance } from '../../store/rows.ts'
import { insertRows } from '../../stored.ts'

describe.each(anyEngine)('the executions of a project on $name', (engine) => {
  const { at } = serverOn(engine)

  it('are followed by a cursor that waits for late commits', async () => {
    const { owner, project } = await createOwner(at())
    const script_id = await createScript(owner, project)
    const run = (exec: string, members: object = {}) =>
      insertRows(at(), 'instances', {
        ...instance,
        project_id: project,
        script_id,
        exec,
        granted_at: at().clock.now,
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
})
