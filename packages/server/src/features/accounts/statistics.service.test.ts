/** Execution and executor statistics for accounts, projects and scripts, including midnight and New Year. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createProject, createScript } from '../../../test/nouns.ts'
import { insertRows } from '../../../test/stored.ts'
import { furnish } from '../../../test/subjects.ts'
import type { NewDailyExecution } from '../executions/store/daily-executions.ts'

const DAY_MS = 86_400_000
const dayOf = (...date: [number, number, number]) => Date.UTC(...date) / DAY_MS

type Count = Pick<NewDailyExecution, 'day' | 'count'> & { readonly executor?: string }
type DateMap = Readonly<Record<string, number>>

describe.each(engines)('the statistics endpoint on $name', (engine) => {
  const { at } = serverOn(engine)

  /** Creates an account with a project and a script that has these counters. */
  async function counted(counts: readonly Count[]) {
    const { owner, ids } = await furnish(at())
    const { project_id = '', script_id = '' } = ids
    await count(owner, { project_id, script_id }, counts)
    return { owner, project_id, script_id }
  }

  async function count(
    owner: Owner,
    ids: { project_id: string; script_id: string },
    counts: readonly Count[],
  ): Promise<void> {
    const rows = counts.map((one) => ({ executor: 'Wave', ...one, ...ids, customer_id: owner.id }))
    await insertRows(at(), 'daily_executions', rows)
  }

  async function executionsOf(owner: Owner, path: string): Promise<Readonly<Record<string, DateMap>>> {
    return (await owner.get(path)).body.executions as Record<string, DateMap>
  }

  it('shows thirty days, oldest first, with zeros, across New Year', async () => {
    at().clock.now = Date.UTC(2027, 0, 2, 10)
    const { owner, script_id } = await counted([
      { day: dayOf(2026, 11, 3), count: 100 },
      { day: dayOf(2026, 11, 4), count: 4 },
      { day: dayOf(2026, 11, 31), count: 31 },
      { day: dayOf(2027, 0, 1), count: 1 },
      { day: dayOf(2027, 0, 2), count: 2 },
      { day: dayOf(2027, 0, 3), count: 100 },
      { day: dayOf(2026, 0, 2), count: 100 },
    ])
    const { executions } = (await owner.get(`/scripts/${script_id}/executions`)).body as {
      executions: DateMap
    }
    const december = Array.from({ length: 28 }, (_, i) => `12/${String(i + 4).padStart(2, '0')}`)
    expect(Object.keys(executions)).toEqual([...december, '01/01', '01/02'])
    const used = Object.entries(executions).filter(([, count]) => count > 0)
    expect(used).toEqual([
      ['12/04', 4],
      ['12/31', 31],
      ['01/01', 1],
      ['01/02', 2],
    ])
  })

  it('starts a new day in the first millisecond after midnight in UTC', async () => {
    const { owner, script_id } = await counted([{ day: dayOf(2028, 1, 29), count: 29 }])
    const lastLabel = async () => {
      const { executions } = (await owner.get(`/v1/scripts/${script_id}/executions`)).body
      return Object.entries(executions as DateMap).at(-1)
    }
    at().clock.now = Date.UTC(2028, 1, 29, 0, 0, 0, 0) - 1
    expect(await lastLabel()).toEqual(['02/28', 0])
    at().clock.now += 1
    expect(await lastLabel()).toEqual(['02/29', 29])
    at().clock.now = Date.UTC(2028, 2, 1) - 1
    expect(await lastLabel()).toEqual(['02/29', 29])
    at().clock.now += 1
    expect(await lastLabel()).toEqual(['03/01', 0])
  })

  it('lists every script in addition to the total, in each format of the interface', async () => {
    at().clock.now = Date.UTC(2026, 5, 15, 12)
    const day = dayOf(2026, 5, 15)
    const { owner, project_id, script_id } = await counted([
      { day, count: 3 },
      { day, count: 2, executor: 'Solara' },
      { day: day - 1, count: 1 },
    ])
    const idle = await createScript(owner, project_id, { name: 'total' })
    const other = await createProject(owner)
    const busy = await createScript(owner, other, { name: 'Ünïcode – "x"' })
    await count(owner, { project_id: other, script_id: busy }, [{ day, count: 40 }])
    await counted([{ day, count: 1000 }])

    const ofProject = await executionsOf(owner, `/projects/${project_id}/executions`)
    expect(Object.keys(ofProject)).toEqual(['total', `main - ${script_id}`, `total - ${idle}`])
    expect(ofProject.total).toMatchObject({ '06/14': 1, '06/15': 5 })
    expect(ofProject[`main - ${script_id}`]).toEqual(ofProject.total)
    expect(Object.values(ofProject[`total - ${idle}`] ?? {})).toEqual(Array(30).fill(0))

    const ofAccount = await executionsOf(owner, `/customers/${owner.apiKey}/executions`)
    expect(Object.keys(ofAccount)).toEqual([...Object.keys(ofProject), `Ünïcode – "x" - ${busy}`])
    expect(ofAccount.total).toMatchObject({ '06/14': 1, '06/15': 45 })
    expect(await executionsOf(owner, '/v1/account/executions')).toEqual(ofAccount)
    expect(await executionsOf(owner, `/v1/projects/${project_id}/executions`)).toEqual(ofProject)
    const script = await executionsOf(owner, `/v1/scripts/${script_id}/executions`)
    expect(script).toEqual(ofProject.total)
  })

  it('reports executors as percentages that add up to 100', async () => {
    at().clock.now = Date.UTC(2026, 5, 15, 12)
    const day = dayOf(2026, 5, 15)
    const { owner, project_id, script_id } = await counted([
      { day, count: 1, executor: 'Solara' },
      { day: day - 29, count: 1, executor: 'Wave' },
      { day: day - 30, count: 500, executor: 'Wave' },
      { day, count: 1, executor: '__proto__' },
    ])
    const expected = {
      success: true,
      executors: JSON.parse('{"Solara":1,"Wave":1,"__proto__":1}'),
      percentages: JSON.parse('{"Solara":33.34,"Wave":33.33,"__proto__":33.33}'),
    }
    const paths = [
      `/projects/${project_id}`,
      `/v1/projects/${project_id}`,
      `/customers/${owner.apiKey}`,
      '/v1/account',
    ]
    for (const path of [...paths, `/v1/scripts/${script_id}`]) {
      const { text } = await owner.get(`${path}/executors`)
      const answer = JSON.parse(text)
      expect(answer, path).toEqual(expected)
      expect(Object.keys(answer.percentages).sort()).toEqual(['Solara', 'Wave', '__proto__'])
    }
  })

  it('reports no executors where nothing ran, and includes accounts without scripts', async () => {
    const owner = await at().createCustomer()
    expect((await owner.get('/v1/account/executors')).body).toEqual({
      success: true,
      executors: {},
      percentages: {},
    })
    const { total, ...scripts } = await executionsOf(owner, '/v1/account/executions')
    expect([Object.values(total ?? {}), scripts]).toEqual([Array(30).fill(0), {}])
  })

  it('covers an account with more scripts than one batch reads', async () => {
    at().clock.now = Date.UTC(2026, 5, 15, 12)
    const day = dayOf(2026, 5, 15)
    const owner = await at().createCustomer()
    const project_id = await createProject(owner)
    const first = await createScript(owner, project_id)
    const ids = Array.from({ length: 120 }, (_, i) => `scr_many${i}${owner.id.slice(4)}`)
    await at().deps.db.transaction(async (tx) => {
      const row = await tx.selectFrom('scripts').selectAll().where('id', '=', first).executeTakeFirstOrThrow()
      const { seq: _, ...script } = row
      await tx
        .insertInto('scripts')
        .values(ids.map((id) => ({ ...script, id, name: 'many' })))
        .execute()
    })
    for (const [i, script_id] of ids.entries())
      await count(owner, { project_id, script_id }, [{ day, count: i }])
    const { total, ...scripts } = await executionsOf(owner, '/v1/account/executions')
    expect(total?.['06/15']).toBe((119 * 120) / 2)
    expect(Object.keys(scripts)).toEqual([`Script - ${first}`, ...ids.map((id) => `many - ${id}`)])
    expect(scripts[`many - ${ids[119]}`]?.['06/15']).toBe(119)
    expect((await owner.get('/v1/account/executors')).body.executors).toEqual({ Wave: (119 * 120) / 2 })
  })

  it('has no counters left of a removed script', async () => {
    at().clock.now = Date.UTC(2026, 5, 15, 12)
    const { owner, script_id } = await counted([{ day: dayOf(2026, 5, 15), count: 3 }])
    await owner.post(`/scripts/${script_id}/remove`)
    expect((await owner.get('/v1/account/executors')).body.executors).toEqual({})
    expect(Object.keys(await executionsOf(owner, '/v1/account/executions'))).toEqual(['total'])
  })
})
