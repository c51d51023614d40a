/** The activity of a project's scripts over two weeks, on both engines. */
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { createScript } from '../../../../test/nouns.ts'
import { run } from '../../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { insertRows, rowOf } from '../../../../test/stored.ts'

const DAY_MS = 86_400_000
const TODAY = Math.floor(START / DAY_MS)

type Day = { readonly at: number; readonly runs: number; readonly crashed: number; readonly denied: number }
type Activity = { readonly id: string; readonly days: readonly Day[] } & Readonly<Record<string, unknown>>

describe.each(engines)('the activity of scripts on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const list = async (query = '') =>
    (await scene.owner.get(`/v1/projects/${scene.projectId}/scripts/activity${query}`)).body
  const counted = (version: number, day: number, counts: object, executor = '') =>
    insertRows(at(), 'version_health', { script_id: scene.scriptId, version, executor, day, ...counts })

  it('adds up all versions by day, and includes days without runs', async () => {
    const { owner, scriptId } = scene
    await owner.post(`/v1/scripts/${scriptId}/update`, { script: 'print(2)' })
    await counted(1, TODAY - 1, { runs: 3, crashed: 1 })
    await counted(2, TODAY - 1, { runs: 4, denied: 2 })
    await counted(2, TODAY, { runs: 5 })
    await counted(2, TODAY, { runs: 5 }, 'Garden')
    await counted(1, 0, { runs: 100 })
    await counted(1, TODAY - 14, { runs: 7 })
    const [script] = (await list()).scripts as Activity[]
    expect(script?.days).toHaveLength(14)
    expect(script?.days.slice(-2)).toEqual([
      { at: (TODAY - 1) * DAY_MS, runs: 7, crashed: 1, denied: 2 },
      { at: TODAY * DAY_MS, runs: 5, crashed: 0, denied: 0 },
    ])
    expect(script?.days.slice(0, -2).every(({ runs }) => runs === 0)).toBe(true)
    expect(script).toMatchObject({ version: 2, uploaded_at: START, source_bytes: 8, release: null })
  })

  it('counts runs in progress, but not runs that ended', async () => {
    const { client, scriptId } = scene
    await run(client, scriptId, { key: await scene.addUser() })
    await run(client, scriptId, { key: await scene.addUser() })
    expect((await list()).scripts).toMatchObject([{ id: scriptId, running: 2 }])
    at().clock.now += DAY_MS
    expect((await list()).scripts).toMatchObject([{ id: scriptId, running: 0 }])
  })

  it('includes the open release to everyone, until it ends', async () => {
    const { owner, scriptId } = scene
    const made = await owner.post(`/v1/scripts/${scriptId}/update`, {
      script: 'print(2)',
      release: { percent: 25 },
    })
    const { id } = made.body.release as { id: string }
    const release = { id, version: 2, version_before: 1, percent: 25, state: 'running', held: false }
    expect((await list()).scripts).toMatchObject([{ version: 1, release }])
    await owner.post(`/v1/scripts/${scriptId}/releases/${id}/rollback`)
    expect((await list()).scripts).toMatchObject([{ version: 1, release: null }])
  })

  it('lists only the scripts of the project, in pages', async () => {
    const { owner, projectId, scriptId } = scene
    const second = await createScript(owner, projectId, { name: 'Second' })
    const page = await list('?limit=1&order=newest')
    expect(page).toMatchObject({ scripts: [{ id: second }], total: 2 })
    const next = await list(`?limit=1&order=newest&after=${page.next}`)
    expect(next).toMatchObject({ scripts: [{ id: scriptId }], next: null })
  })

  it('is complete and in order for more scripts than are counted at once', async () => {
    const { scriptId } = scene
    const { seq: _, ...script } = await rowOf(at(), 'scripts', { id: scriptId })
    const ids = Array.from({ length: 60 }, (_, i) => `${scriptId}_${i}`)
    await insertRows(
      at(),
      'scripts',
      ids.map((id) => ({ ...script, id })),
    )
    await counted(1, TODAY, { runs: 2 })
    const { scripts, total } = await list()
    expect((scripts as Activity[]).map(({ id }) => id)).toEqual([scriptId, ...ids])
    expect((scripts as Activity[])[0]?.days.at(-1)).toMatchObject({ runs: 2 })
    expect([total, (await list('?limit=30')).scripts]).toMatchObject([61, { length: 30 }])
  })
})
