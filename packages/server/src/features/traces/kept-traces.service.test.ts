/** Traces are stored without the copy, limited in number, and kept separate by project. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createScript, createTier, createUser } from '../../../test/nouns.ts'
import { component, ProtocolClient } from '../../../test/protocol/client.ts'
import { contentRows } from '../../../test/store/content-rows.ts'
import { changeRows, insertRows, rowsOf } from '../../../test/stored.ts'
import { MAX_KEPT } from './kept-traces.ts'
import { pruneTraces } from './prune-traces.ts'

const SOURCE = `local function greet(name) for i = 1, 3 do print('hello ' .. name, i * 21) end return #name end
return greet('you') + greet('all of you')`
const DAY_MS = 86_400_000

describe.each(engines)('stored traces on $name', (engine) => {
  const { at } = serverOn(engine)

  const scene = async () => {
    const { owner, project } = await createOwner(at(), { tier: 0 })
    const script = await createScript(owner, project, { script: SOURCE })
    const path = `/v1/projects/${project}/traces`
    const trace = async (text: string) => (await owner.post(`/v1/scripts/${script}/trace`, { text })).body
    return { owner, project, script, path, trace }
  }
  const insert = (project_id: string, script_id: string, ids: readonly string[]) =>
    insertRows(
      at(),
      'traces',
      ids.map((id) => ({ ...contentRows.traces, id, project_id, script_id, created_at: at().clock.now })),
    )

  it('name the user by note and chat account, and hold the size and digest of the copy only', async () => {
    const { owner, project, script, path, trace } = await scene()
    const key = await createUser(owner, project, { note: 'Order 1042', chat_id: '300000000000000001' })
    const client = new ProtocolClient(at().url)
    const run = await client.run(script, { key, fp: { machine_id: component('one') } })
    const copy = run.script ?? (run.reply.ok ? await client.fetchScript(run.keys, run.reply) : '')
    const found = await trace(copy)
    const { traces } = (await owner.get(path)).body
    expect(traces).toEqual([
      {
        id: found.trace_id,
        script_id: script,
        script_name: expect.any(String),
        actor: { kind: 'api_key', id: null, name: `${owner.apiKey.slice(0, 8)}…` },
        created_at: at().clock.now,
        bytes: Buffer.byteLength(copy),
        sha256: createHash('sha256').update(copy).digest('hex'),
        matches: 1,
        users: [
          {
            ...{ user_key: key, note: 'Order 1042', chat_id: '300000000000000001', version: 1, named: true },
            confidence: 0.999999,
          },
        ],
      },
    ])
    const { success: _, trace_id: id, ...result } = found
    const { trace: kept } = (await owner.get(`${path}/${id}`)).body
    expect(kept).toEqual({ ...(traces as object[])[0], ...result })
    const [row] = await rowsOf(at(), 'traces', { project_id: project })
    expect(JSON.stringify(row)).not.toContain(copy.slice(1000, 1040))
  })

  it('are listed newest first in pages, by script, including those that found nobody', async () => {
    const { owner, project, script, path, trace } = await scene()
    const other = await createScript(owner, project, { script: SOURCE })
    await insert(project, other, ['trc_a', 'trc_b'])
    const { trace_id } = await trace('x = 1')
    const listed = async (query: string) => {
      const { traces, next } = (await owner.get(`${path}?${query}`)).body
      return { ids: (traces as { id: string }[]).map(({ id }) => id), next }
    }
    const first = await listed('limit=2')
    expect(first.ids).toEqual([trace_id, 'trc_b'])
    expect(await listed(`limit=2&after=${first.next}`)).toEqual({ ids: ['trc_a'], next: null })
    expect((await listed(`script_id=${script}`)).ids).toEqual([trace_id])
    expect((await owner.get(`${path}/${trace_id}`)).body.trace).toMatchObject({ matches: 0, accused: [] })
  })

  it(`are deleted beyond the newest ${MAX_KEPT} of a project`, async () => {
    const { project, script, trace } = await scene()
    const elsewhere = await scene()
    await insert(elsewhere.project, elsewhere.script, ['trc_elsewhere'])
    const ids = Array.from({ length: MAX_KEPT }, (_, i) => `trc_many${i}`)
    await insert(project, script, ids)
    const { trace_id } = await trace('x = 1')
    const kept = (await rowsOf(at(), 'traces', { project_id: project }, 'seq')).map(({ id }) => id)
    expect(kept).toEqual([...ids.slice(1), trace_id])
    expect(await rowsOf(at(), 'traces', { project_id: elsewhere.project })).toHaveLength(1)
  })

  it('are deleted as late as the log of their service tier', async () => {
    const { owner, project, script, trace } = await scene()
    const elsewhere = await scene()
    await elsewhere.trace('x = 1')
    const tier = await createTier(at(), { log_days: 7, free_for_all: 1, max_projects: 1, max_scripts: 1 })
    await changeRows(at(), 'customers', { id: owner.id }, { tier })
    const forever = await scene()
    const unlimited = await createTier(at(), { log_days: -1 })
    await changeRows(at(), 'customers', { id: forever.owner.id }, { tier: unlimited })
    await forever.trace('x = 1')
    await trace('x = 1')
    const prune = () => pruneTraces(at().deps, () => at().clock.now).run(new AbortController().signal)
    const count = async (id: string) => (await rowsOf(at(), 'traces', { project_id: id })).length
    at().clock.now += 7 * DAY_MS
    await prune()
    expect(await count(project)).toBe(1)
    at().clock.now += 1
    await insert(project, script, ['trc_young'])
    await prune()
    expect([await count(project), await count(elsewhere.project)]).toEqual([1, 1])
    at().clock.now += 400 * DAY_MS
    await prune()
    expect([await count(elsewhere.project), await count(forever.project)]).toEqual([0, 1])
  })

  it('come back with their script when its removal is undone', async () => {
    const { owner, script, path, trace } = await scene()
    await trace('x = 1')
    const { traces } = (await owner.get(path)).body
    const { change_id } = (await owner.post(`/v1/scripts/${script}/remove`)).body
    expect((await owner.get(path)).body.traces).toEqual([])
    await owner.post(`/v1/changes/${change_id}/undo`)
    expect((await owner.get(path)).body.traces).toEqual(traces)
  })
})
