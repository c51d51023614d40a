/** The health of a version: every run is counted once, and each customer once per version and executor. */
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { groupAll } from '../../../test/errors.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { run as runScript } from '../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { loggedExecution } from '../../../test/store/rows.ts'
import { insertRows, rowOf, rowsOf } from '../../../test/stored.ts'
import { recordErrors } from '../errors/intake.ts'
import { writeOutcomes } from '../executions/outcomes.ts'
import { countHealth } from './count-health.ts'
import { pruneHealth } from './prune-health.ts'

const SIGNAL = new AbortController().signal
const COUNTED_AFTER_MS = 90_000
type Health = { readonly version: number; readonly executors: object[]; readonly days: object[] } & Record<
  string,
  unknown
>

describe.each(engines)('the health of a version on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const later = (ms: number) => {
    at().clock.now += ms
  }
  const count = async () => {
    const worker = countHealth(at().deps, () => at().clock.now)
    while (await worker.run(SIGNAL));
  }
  const read = async (query = '') => {
    const { body } = await scene.owner.get(`/v1/scripts/${scene.scriptId}/health${query}`)
    return body.versions as Health[]
  }
  const start = (key: string | null, executor = 'Garden') =>
    runScript(scene.client, scene.scriptId, { key, host: { executor, version: '', platform: 'game' } })
  const crash = async (exec: string) => {
    const run = await rowOf(at(), 'instances', { exec })
    const report = { kind: 'crash', text: 'attempt to index nil', at: [3], n: 1 } as const
    await at().deps.db.transaction((tx) => recordErrors(tx, at().deps, run, [report]))
    await groupAll(at())
  }

  it('counts runs, crashes, denials and customers, by executor and day', async () => {
    const [ada, bob] = [await scene.addUser(), await scene.addUser()]
    const first = await start(ada)
    await start(ada, 'Orchard')
    const second = await start(bob)
    later(10_000)
    for (const run of [first, second]) await run.beat()
    await crash(first.exec)
    await crash(first.exec)
    expect(await scene.client.verdict(scene.scriptId, { key: 'of nobody, and long enough' })).toBe(
      'invalid_key',
    )
    later(COUNTED_AFTER_MS)
    await count()
    await count()
    const runs = { runs: 3, crashed: 1, vanished: 1, denied: 1 }
    const customers = { customers: 2, crashed_customers: 1, crash_free_customers: 0.5 }
    expect(await read()).toMatchObject([
      {
        version: 1,
        ...runs,
        ...customers,
        crash_free_runs: expect.closeTo(2 / 3),
        executors: [
          { executor: 'Garden', runs: 2, crashed: 1, vanished: 0, customers: 2, crashed_customers: 1 },
          { executor: 'Orchard', runs: 1, crashed: 0, vanished: 1, customers: 1, crash_free_customers: 1 },
          { executor: 'lua5.1', runs: 0, denied: 1, crash_free_runs: null },
        ],
        days: [{ at: Math.floor(START / 86_400_000) * 86_400_000, ...runs }],
      },
    ])
    await writeOutcomes(at().deps)
    const path = `/v1/projects/${scene.projectId}/outcomes?step=day&script_id=${scene.scriptId}`
    const outcomes = (await scene.owner.get(path)).body.outcomes as object[]
    expect(outcomes.at(-1)).toMatchObject({ granted: 3, crashed: 1, vanished: 1 })
  })

  it('counts a crash that is reported long after the run was counted', async () => {
    const { exec } = await start(await scene.addUser())
    later(COUNTED_AFTER_MS)
    await count()
    expect(await read()).toMatchObject([{ runs: 1, crashed: 0, crashed_customers: 0 }])
    await crash(exec)
    expect(await read()).toMatchObject([{ runs: 1, crashed: 1, customers: 1, crashed_customers: 1 }])
  })

  it('leaves recent runs for later, and counts none twice with two processes', async () => {
    const key = await scene.addUser()
    await start(key)
    later(COUNTED_AFTER_MS - 1)
    await count()
    expect(await read()).toEqual([])
    later(1)
    await Promise.all([count(), count(), count()])
    expect(await read()).toMatchObject([{ runs: 1, customers: 1 }])
  })

  it('counts executors beyond the first fifty together, and only the versions that are asked for', async () => {
    const rows = Array.from({ length: 600 }, (_, i) => ({
      ...loggedExecution,
      ...{ project_id: scene.projectId, script_id: scene.scriptId, script_version: 1 + (i % 2) },
      ...{
        exec: `run-${i}`,
        at: START,
        user_key: `key-${i % 10}`,
        executor: `executor ${i}`,
        ending: 'lost' as const,
      },
    }))
    await insertRows(at(), 'execution_log', rows)
    later(COUNTED_AFTER_MS)
    await count()
    const [newest, ...others] = await read('?version=2')
    expect(others).toEqual([])
    expect(newest).toMatchObject({ version: 2, runs: 300, customers: 5 })
    expect(newest?.executors).toHaveLength(51)
    expect(newest?.executors[0]).toMatchObject({ executor: 'other', runs: 250 })
  })

  it('is kept for the newest twenty versions, and not for removed scripts', async () => {
    const { scriptId } = scene
    const [newest] = await rowsOf(at(), 'script_versions', { script_id: scriptId })
    if (!newest) throw new Error('the script has no version')
    const { seq: _, ...version } = newest as typeof newest & { seq?: number }
    await insertRows(at(), 'script_versions', { ...version, version: 30 })
    for (const script_id of [scriptId, 'scr_removed'])
      for (const number of [10, 11]) {
        await insertRows(at(), 'version_health', { script_id, version: number, executor: '', day: 0 })
        const customers = Array.from({ length: 600 }, (_, i) => ({ customer: `key-${i}` }))
        const row = { script_id, version: number, executor: '' }
        await insertRows(
          at(),
          'version_customers',
          customers.map((one) => ({ ...row, ...one })),
        )
      }
    await pruneHealth(at().deps).run(SIGNAL)
    for (const table of ['version_health', 'version_customers'] as const) {
      expect(await rowsOf(at(), table, { script_id: 'scr_removed' })).toEqual([])
      const kept = await rowsOf(at(), table, { script_id: scriptId })
      expect(new Set(kept.map((row) => row.version))).toEqual(new Set([11]))
    }
  })

  it('is kept and listed for the versions that customers get, however old they are', async () => {
    const { owner, scriptId } = scene
    const [first] = await rowsOf(at(), 'script_versions', { script_id: scriptId })
    if (!first) throw new Error('the script has no version')
    const { seq: _, ...version } = first as typeof first & { seq?: number }
    for (const number of [2, 3, 30])
      await insertRows(at(), 'script_versions', { ...version, version: number })
    const beta = `/v1/scripts/${scriptId}/channels/beta`
    expect((await owner.post(beta, { version: 2 })).status).toBe(200)
    const day = Math.floor(at().clock.now / 86_400_000)
    for (const number of [1, 2, 3]) {
      const counts = { runs: 50, customers: 20, crashed: number, crashed_customers: number }
      for (const each of [0, day])
        await insertRows(at(), 'version_health', {
          ...{ script_id: scriptId, version: number, executor: '', day: each, ...counts },
        })
    }
    await pruneHealth(at().deps).run(SIGNAL)
    expect(await read()).toMatchObject([
      { version: 2, runs: 50, days: [{ runs: 50 }] },
      { version: 1, runs: 50, days: [{ runs: 50 }] },
    ])
    expect(await read('?version=3')).toEqual([])
    const ofProject = await owner.get(`/v1/projects/${scene.projectId}/health`)
    expect(ofProject.body).toMatchObject({ runs: 50, customers: 20, crash_free_customers: 0.95 })
  })

  it('of a project adds up the live versions of its scripts, and no others', async () => {
    const ofProject = async () => (await scene.owner.get(`/v1/projects/${scene.projectId}/health`)).body
    expect(await ofProject()).toMatchObject({ runs: 0, customers: 0, crash_free_customers: null })
    const { owner, projectId, scriptId } = scene
    const second = await createScript(owner, projectId)
    const elsewhere = await createOwner(at())
    const foreign = await createScript(elsewhere.owner, elsewhere.project)
    const counts = { runs: 9, crashed: 2, vanished: 1, denied: 3, customers: 4, crashed_customers: 1 }
    const others = [{ version: 2 }, { executor: 'Garden' }, { day: 20_000 }]
    const rows = [scriptId, second, foreign].flatMap((script_id) =>
      [{}, ...others].map((given) => ({ script_id, version: 1, executor: '', day: 0, ...counts, ...given })),
    )
    await insertRows(at(), 'version_health', rows)
    expect(await ofProject()).toMatchObject({
      ...{ runs: 18, crashed: 4, vanished: 2, denied: 6, customers: 8, crashed_customers: 2 },
      ...{ crash_free_runs: expect.closeTo(14 / 18), crash_free_customers: 0.75 },
    })
  })

  it('names the version since which more customers crash, live or in a release, of a script and of the project', async () => {
    const { owner, projectId, scriptId } = scene
    const health = async (path: string) => (await owner.get(`/v1/${path}/health`)).body.regression
    const insert = (script_id: string, version: number, crashed_customers: number) => {
      const day = Math.floor(at().clock.now / 86_400_000)
      const counts = { runs: 300, vanished: 0, denied: 0, customers: 100, crashed: crashed_customers }
      return insertRows(
        at(),
        'version_health',
        ['', 'Garden'].flatMap((executor) =>
          [0, day].map((each) => ({
            ...{ script_id, version, executor, day: each, ...counts, crashed_customers },
          })),
        ),
      )
    }
    const day = Math.floor(at().clock.now / 86_400_000) * 86_400_000
    await insert(scriptId, 1, 1)
    await insert(scriptId, 2, 12)
    expect([await health(`scripts/${scriptId}`), await health(`projects/${projectId}`)]).toEqual([null, null])
    await owner.post(`/v1/scripts/${scriptId}/update`, { script: 'print(2)' })
    const second = await createScript(owner, projectId, { name: 'Second' })
    await owner.post(`/v1/scripts/${second}/update`, { script: 'print(2)' })
    await insert(second, 1, 1)
    await insert(second, 2, 5)
    const found = {
      ...{ version: 2, previous_version: 1, release_id: null, executor: 'Garden', customers: 12 },
      ...{ share: 0.12, share_before: 0.01, since: day },
    }
    expect(await health(`scripts/${scriptId}`)).toEqual(found)
    expect((await owner.get(`/v1/scripts/${scriptId}/health?version=1`)).body.regression).toEqual(found)
    expect(await health(`scripts/${second}`)).toMatchObject({ customers: 5 })
    const { name } = (await owner.get(`/v1/scripts/${scriptId}`)).body.script as { name: string }
    expect(await health(`projects/${projectId}`)).toEqual({
      script_id: scriptId,
      script_name: name,
      ...found,
    })
    await owner.post(`/v1/scripts/${scriptId}/versions/1/activate`)
    expect(await health(`projects/${projectId}`)).toMatchObject({ script_id: second })
    const started = await owner.post(`/v1/scripts/${scriptId}/versions/2/release`, { percent: 5 })
    const release = {
      script_id: scriptId,
      version: 2,
      release_id: (started.body.release as { id: string }).id,
    }
    expect(await health(`projects/${projectId}`)).toMatchObject(release)
  })

  it('is not shown to another account', async () => {
    const { owner } = await createOwner(at())
    for (const [room, id] of [
      ['scripts', scene.scriptId],
      ['projects', scene.projectId],
    ]) {
      const asked = [id, 'of_nobody'].map((each) => owner.get(`/v1/${room}/${each}/health`))
      const [foreign, missing] = await Promise.all(asked)
      expect([foreign?.status, foreign?.error.type]).toEqual([missing?.status, missing?.error.type])
    }
  })
})
