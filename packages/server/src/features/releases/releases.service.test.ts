/** Releases: who gets which version, what the guard does, and who may change a release. */
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { groupAll } from '../../../test/errors.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { run as runScript } from '../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { insertRows, rowOf, rowsOf } from '../../../test/stored.ts'
import { recordErrors } from '../errors/intake.ts'
import { countHealth } from '../health/count-health.ts'
import { pruneReleases } from './prune-releases.ts'
import { reviewReleases } from './review-releases.ts'

const SIGNAL = new AbortController().signal
const HOUR_MS = 3_600_000
const COUNTED_AFTER_MS = 90_000

type Release = {
  readonly id: string
  readonly state: string
  readonly percent: number
  readonly held: boolean
  readonly next_at: number | null
} & Record<string, unknown>

describe.each(engines)('releases on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })

  const post = (path: string, body?: object) => scene.owner.post(`/v1/scripts/${scene.scriptId}${path}`, body)
  const upload = (body: object = {}) => post('/update', { script: 'print("new")', ...body })
  const release = async (version: number, body: object = {}) => {
    const answer = await post(`/versions/${version}/release`, body)
    expect([answer.status, answer.error]).toEqual([200, answer.error])
    return answer.body.release as Release
  }
  const read = async (id: string) =>
    (await scene.owner.get(`/v1/scripts/${scene.scriptId}/releases/${id}`)).body.release as Release
  const live = async () =>
    (await scene.owner.get(`/v1/scripts/${scene.scriptId}`)).body.script as { version: number }
  const start = (key: string | null, executor = 'Garden') =>
    runScript(scene.client, scene.scriptId, { key, host: { executor, version: '', platform: 'game' } })
  const versionOf = async (key: string | null) => {
    const run = await start(key)
    return (await rowOf(at(), 'instances', { exec: run.exec })).script_version
  }
  const later = (ms: number) => {
    at().clock.now += ms
  }
  const review = () => reviewReleases(at().deps, () => at().clock.now).run(SIGNAL)
  const count = async () => {
    const worker = countHealth(at().deps, () => at().clock.now)
    while (await worker.run(SIGNAL));
  }
  /** Creates version 2, and makes version 1 live. */
  const twoVersions = async () => {
    await upload({ release: { percent: 100, guard: 'off' } })
    await post('/versions/1/activate')
  }
  /** Counts customers for both versions, as if they had run them. */
  const addCustomers = async (
    id: string,
    fresh: 0 | 1,
    customers: number,
    bad: number,
    executor = 'Garden',
  ) => {
    const rows = Array.from({ length: customers }, (_, i) => ({
      ...{ release_id: id, fresh, executor, bad: i < bad ? (1 as const) : (0 as const) },
      ...{ customer: `${executor} ${fresh} ${i}`, exec: `${executor} ${fresh} ${i}` },
    }))
    await insertRows(at(), 'release_customers', rows)
  }

  it('a share of the customers gets the version, and nobody switches back while the share grows', async () => {
    await twoVersions()
    // With half as many random keys, a run in 50,000 would have all of them on one side.
    const keys = await Promise.all(Array.from({ length: 48 }, () => scene.addUser()))
    const { id } = await release(2, { percent: 40 })
    const first = await Promise.all(keys.map(versionOf))
    expect(new Set(first)).toEqual(new Set([1, 2]))
    expect(await Promise.all(keys.map(versionOf))).toEqual(first)
    await post(`/releases/${id}/edit`, { percent: 80 })
    const second = await Promise.all(keys.map(versionOf))
    expect(second.filter((version, i) => version < (first[i] ?? 0))).toEqual([])
    expect(second.filter((version) => version === 2).length).toBeGreaterThan(
      first.filter((version) => version === 2).length,
    )
    expect((await live()).version).toBe(1)
  })

  it('without a percentage, 5, 25 and 100 % get it within six hours, and a day later it is completed', async () => {
    await twoVersions()
    const { id, percent, next_at } = await release(2)
    expect([percent, next_at]).toEqual([5, START + 3 * HOUR_MS])
    later(3 * HOUR_MS - 1)
    await review()
    expect(await read(id)).toMatchObject({ percent: 5, steps: [25, 100] })
    later(1)
    await Promise.all([review(), review()])
    expect(await read(id)).toMatchObject({ percent: 25, steps: [100], next_at: START + 6 * HOUR_MS })
    later(3 * HOUR_MS)
    await review()
    expect(await read(id)).toMatchObject({ percent: 100, steps: [], state: 'running' })
    expect((await live()).version).toBe(2)
    later(24 * HOUR_MS)
    await review()
    expect(await read(id)).toMatchObject({ state: 'completed', ended_at: at().clock.now })
    expect((await live()).version).toBe(2)
    expect((await rowOf(at(), 'scripts', { id: scene.scriptId })).staging).toBeNull()
  })

  it('a version that fails more often is rolled back, and the event names its errors', async () => {
    await twoVersions()
    const information_webhook = 'https://hooks.example.com/'
    await scene.owner.post(`/v1/projects/${scene.projectId}/edit`, { information_webhook })
    const { id } = await release(2, { percent: 50 })
    await insertRows(at(), 'error_groups', {
      ...{ id: 'err_1', project_id: scene.projectId, script_id: scene.scriptId, fingerprint: 'f' },
      ...{ kind: 'crash' as const, message: 'attempt to index nil', first_at: START, last_at: START },
      ...{ first_version: 2, last_version: 2, customers: 40 },
    })
    await insertRows(at(), 'error_counts', {
      ...{ error_id: 'err_1', dimension: 'version' as const, value: '2', occurrences: 40 },
    })
    await addCustomers(id, 1, 100, 40)
    await addCustomers(id, 0, 100, 1)
    await review()
    expect(await read(id)).toMatchObject({
      state: 'rolled_back',
      rolled_back_by: 'guard',
      health: { customers: 100, failed: 40, healthy: 0.6 },
      health_before: { customers: 100, failed: 1, healthy: 0.99 },
      finding: { verdict: 'worse', executors: [{ executor: 'Garden', failed: 40 }] },
    })
    const keys = await Promise.all(Array.from({ length: 8 }, () => scene.addUser()))
    expect(new Set(await Promise.all(keys.map(versionOf)))).toEqual(new Set([1]))
    const path = `/v1/projects/${scene.projectId}/webhooks/deliveries`
    const { deliveries } = (await scene.owner.get(path)).body as {
      deliveries: { type: string; body: string }[]
    }
    expect(deliveries.map(({ type }) => type)).toEqual(['release.rolled_back', 'release.started'])
    expect(JSON.parse(deliveries[0]?.body ?? '').data).toMatchObject({
      release: { id, version: 2, version_before: 1 },
      errors: [{ id: 'err_1', message: 'attempt to index nil', customers: 40 }],
      rolled_back_by: 'guard',
    })
  })

  it('a release that everyone has is rolled back too', async () => {
    await twoVersions()
    const { id } = await release(2, { percent: 100 })
    expect((await live()).version).toBe(2)
    await addCustomers(id, 1, 100, 40)
    await addCustomers(id, 0, 100, 1)
    await review()
    expect((await live()).version).toBe(1)
    expect((await read(id)).state).toBe('rolled_back')
  })

  it('a release that starts with everyone is compared with the latest customers of the previous version', async () => {
    await twoVersions()
    const { scriptId, projectId } = scene
    const runs = Array.from({ length: 80 }, (_, i) => ({
      ...{
        project_id: projectId,
        script_id: scriptId,
        script_version: 1,
        executor: 'Garden',
        runtime: 'luau',
      },
      ...{
        exec: `run ${i}`,
        user_key: `key ${i % 60}`,
        at: i < 10 ? START - 25 * HOUR_MS : START - HOUR_MS + i,
      },
      outcome: i === 20 || i === 70 ? ('crashed' as const) : ('granted' as const),
    }))
    await insertRows(at(), 'execution_log', runs)
    const { id } = await release(2, { percent: 100 })
    expect(await read(id)).toMatchObject({
      health_before: { customers: 60, failed: 1 },
      health: { customers: 0 },
    })
    await addCustomers(id, 1, 60, 30)
    await review()
    expect(await read(id)).toMatchObject({ state: 'rolled_back', finding: { failed_before: 1 / 60 } })
    expect((await live()).version).toBe(1)
  })

  it('is paused instead of rolled back if the previous version was yanked in the meantime', async () => {
    await twoVersions()
    const { id } = await release(2, { percent: 100 })
    expect((await post('/versions/1/yank')).status).toBe(200)
    await addCustomers(id, 1, 100, 40)
    await addCustomers(id, 0, 100, 1)
    await review()
    expect(await read(id)).toMatchObject({ state: 'paused', percent: 100 })
    expect((await post(`/releases/${id}/rollback`)).error.type).toBe('version_yanked')
    expect((await live()).version).toBe(2)
    await post('/versions/1/unyank')
    expect((await post(`/releases/${id}/rollback`)).status).toBe(200)
    expect((await live()).version).toBe(1)
  })

  it('a smaller share never brings back a previous version that was yanked in the meantime', async () => {
    await twoVersions()
    const { id } = await release(2, { percent: 100 })
    expect((await post('/versions/1/yank')).status).toBe(200)
    const refused = await post(`/releases/${id}/edit`, { percent: 50 })
    expect([refused.status, refused.error.type]).toEqual([409, 'version_yanked'])
    expect([(await live()).version, (await read(id)).percent]).toEqual([2, 100])
    await post('/versions/1/unyank')
    expect((await post(`/releases/${id}/edit`, { percent: 50 })).status).toBe(200)
    expect((await live()).version).toBe(1)
  })

  it('with the guard hold it is paused, and continuing turns the guard off', async () => {
    await twoVersions()
    const held = await release(2, { guard: 'hold' })
    await addCustomers(held.id, 1, 100, 40)
    await addCustomers(held.id, 0, 100, 1)
    later(3 * HOUR_MS)
    await review()
    await review()
    expect(await read(held.id)).toMatchObject({ state: 'paused', held: true, percent: 5 })
    await post(`/releases/${held.id}/continue`)
    expect(await read(held.id)).toMatchObject({ guard: 'off' })
    later(3 * HOUR_MS)
    await review()
    expect(await read(held.id)).toMatchObject({ state: 'running', held: false, percent: 25 })
  })

  it('a release that everyone has is completed when its guard is turned off', async () => {
    await twoVersions()
    const { id } = await release(2, { percent: 100 })
    await post(`/releases/${id}/edit`, { guard: 'off' })
    expect(await read(id)).toMatchObject({ state: 'completed', percent: 100 })
    expect((await live()).version).toBe(2)
  })

  it('a paused release does not grow, and continues with a full step', async () => {
    await twoVersions()
    const { id } = await release(2)
    await post(`/releases/${id}/pause`)
    later(12 * HOUR_MS)
    await review()
    expect(await read(id)).toMatchObject({ state: 'paused', percent: 5 })
    await post(`/releases/${id}/continue`)
    await review()
    expect(await read(id)).toMatchObject({ percent: 5, next_at: at().clock.now + 3 * HOUR_MS })
  })

  it('counts each customer once per version by the first run, and crashes that are reported later', async () => {
    await twoVersions()
    const [ada, bob] = [await scene.addUser(), await scene.addUser()]
    const { id } = await release(2, { percent: 99 })
    const before = await start(ada)
    await start(ada)
    const crashed = await start(bob)
    later(COUNTED_AFTER_MS)
    await count()
    for (const { exec } of [crashed, before]) {
      const run = await rowOf(at(), 'instances', { exec })
      const report = { kind: 'crash', text: 'attempt to index nil', at: [3], n: 1 } as const
      await at().deps.db.transaction((tx) => recordErrors(tx, at().deps, run, [report]))
    }
    await groupAll(at())
    const rows = await rowsOf(at(), 'release_customers', { release_id: id })
    expect(rows.map(({ exec, bad }) => [exec, bad]).sort()).toEqual(
      [
        [before.exec, 1],
        [crashed.exec, 1],
      ].sort(),
    )
  })

  it('counts only customers of its channel', async () => {
    await twoVersions()
    await post('/channels/beta', { version: 2, tags: ['tester'] })
    const { id } = await release(2, { percent: 1 })
    const tester = await start(await scene.addUser({ tags: '["tester"]' }))
    const other = await start(await scene.addUser())
    later(COUNTED_AFTER_MS)
    await count()
    const rows = await rowsOf(at(), 'release_customers', { release_id: id })
    expect(rows.map(({ exec }) => exec)).toEqual([other.exec])
    expect((await rowOf(at(), 'instances', { exec: tester.exec })).script_version).toBe(2)
  })

  it('nobody is kicked by a release while both versions are served', async () => {
    await post('/edit', { kick_outdated: true })
    await twoVersions()
    const key = await scene.addUser()
    const run = await start(key)
    const { id } = await release(2, { percent: 50 })
    later(10_000)
    expect((await run.beat()).ok).toBe(true)
    await post(`/releases/${id}/rollback`)
    later(10_000)
    expect((await run.beat()).ok).toBe(true)
  })

  it('an activation, another release and a removed channel end the one that is open', async () => {
    await twoVersions()
    await upload({ release: { percent: 10 } })
    const first = await release(2, { percent: 5 })
    const second = await release(3, { percent: 5 })
    expect(await read(first.id)).toMatchObject({ state: 'replaced' })
    await post('/versions/2/activate')
    expect(await read(second.id)).toMatchObject({ state: 'replaced' })
    await post('/channels/beta', { version: 1 })
    const beta = await release(3, { channel: 'beta', percent: 5 })
    await post('/channels/beta/remove')
    expect(await read(beta.id)).toMatchObject({ state: 'replaced', version_before: 1 })
  })

  it('open and ended releases are listed separately, and together newest first', async () => {
    await twoVersions()
    const ended = await release(2, { percent: 5 })
    await post(`/releases/${ended.id}/rollback`)
    const paused = await release(2, { percent: 5 })
    await post(`/releases/${paused.id}/pause`)
    const list = async (query: string) => {
      const { body } = await scene.owner.get(`/v1/scripts/${scene.scriptId}/releases${query}`)
      return [body.total, (body.releases as Release[]).map(({ id }) => id)]
    }
    expect(await list('?state=open')).toEqual([1, [paused.id]])
    expect((await list('?state=ended&limit=1'))[1]).toEqual([ended.id])
    const all = (await list('?limit=2'))[1]
    expect(all).toEqual([paused.id, ended.id])
  })

  it('of all scripts in a project form one list, each with its script', async () => {
    await twoVersions()
    const ended = await release(2, { percent: 5 })
    await post(`/releases/${ended.id}/rollback`)
    const open = await release(2, { percent: 5 })
    const list = async (query: string) =>
      (await scene.owner.get(`/v1/projects/${scene.projectId}/releases${query}`)).body
    expect(await list('?limit=1')).toMatchObject({
      total: 3,
      releases: [{ id: open.id, script_id: scene.scriptId }],
      next: expect.any(String),
    })
    expect((await list('?state=open')).releases).toMatchObject([await read(open.id)])
    expect((await list('?state=ended&limit=1')).releases).toMatchObject([
      { id: ended.id, state: 'rolled_back', rolled_back_by: 'team' },
    ])
  })

  it('keys get the channel named by a tag, otherwise that of their tag, otherwise that of their plan', async () => {
    await twoVersions()
    const made = await scene.owner.post(`/v1/projects/${scene.projectId}/plans/new`, { name: 'Testers' })
    const plan = made.string('plan_id')
    const tagged = await scene.addUser({ tags: '["tester"]' })
    const planned = await scene.addUser({ plan_id: plan })
    const other = await scene.addUser()
    const own = await scene.addUser({ tags: '["tester","channel:early"]', plan_id: plan })
    await post('/channels/early', { version: 1 })
    expect((await post('/channels/beta', { version: 2, tags: ['tester'], plans: [plan] })).status).toBe(200)
    expect([await versionOf(tagged), await versionOf(planned), await versionOf(other)]).toEqual([2, 2, 1])
    expect(await versionOf(own)).toBe(1)
    const back = await scene.addUser({ tags: '["tester","channel:stable"]', plan_id: plan })
    expect(await versionOf(back)).toBe(1)
    await post('/channels/beta', { tags: [] })
    expect([await versionOf(tagged), await versionOf(planned)]).toEqual([1, 2])
    await post('/channels/beta/remove')
    expect(await versionOf(planned)).toBe(1)
  })

  it('a key that runs as a guest, because it expired, gets the version that guests get', async () => {
    await twoVersions()
    await scene.edit('scripts', { free_for_all: 1 })
    const tags = '["tester"]'
    const valid = await scene.addUser({ tags })
    const expired = await scene.addUser({ tags, key_expires: START })
    await post('/channels/beta', { version: 2, tags: ['tester'] })
    expect([await versionOf(null), await versionOf(valid), await versionOf(expired)]).toEqual([1, 2, 1])
  })

  it('rejects invalid requests and changes nothing', async () => {
    await twoVersions()
    const refusals = [
      [await post('/versions/9/release'), 404],
      [await post('/versions/1/release'), 400],
      [await post('/versions/2/release', { channel: 'beta' }), 400],
      [await post('/versions/2/release', { percent: 0 }), 400],
      [await post('/versions/2/release', { percent: 101 }), 400],
      [await post('/versions/2/release', { over: 1 }), 400],
      [await post('/versions/2/release', { guard: 'maybe' }), 400],
      [await post('/releases/rel_x/pause'), 404],
      [await post('/channels/stable', { version: 2 }), 400],
      [await post('/channels/Beta', { version: 2 }), 404],
      [await post('/channels/beta', { version: 9 }), 404],
      [await post('/channels/beta', { plans: ['pln_x'] }), 400],
      [await post('/channels/beta/remove'), 404],
      [await upload({ release: { channel: 'beta' } }), 400],
    ] as const
    expect(refusals.map(([{ status }]) => status)).toEqual(refusals.map(([, status]) => status))
    expect(await rowsOf(at(), 'releases', { script_id: scene.scriptId, version: 1 })).toEqual([])
    const ended = await release(2, { percent: 5 })
    await post(`/releases/${ended.id}/rollback`)
    for (const action of ['pause', 'continue', 'rollback', 'edit'])
      expect((await post(`/releases/${ended.id}/${action}`)).status).toBe(400)
  })

  it('two releases that start at the same time leave one open', async () => {
    await twoVersions()
    await upload({ release: { percent: 100, guard: 'off' } })
    await post('/versions/1/activate')
    await Promise.all([release(2, { percent: 5 }), release(3, { percent: 5 })])
    const rows = await rowsOf(at(), 'releases', { script_id: scene.scriptId })
    expect(rows.filter(({ ended_at }) => ended_at === null)).toHaveLength(1)
  })

  it('an upload to a script with more than 100 customers a day is rolled out gradually, unless that is off', async () => {
    const { scriptId, projectId } = scene
    const runs = Array.from({ length: 101 }, (_, i) => ({
      ...{ project_id: projectId, script_id: scriptId, script_version: 1, at: START - 1000 },
      ...{
        outcome: 'granted' as const,
        exec: `run ${i}`,
        user_key: `key ${i}`,
        executor: 'Garden',
        runtime: 'luau',
      },
    }))
    await insertRows(at(), 'execution_log', runs.slice(1))
    expect((await upload()).body).toMatchObject({ version: 2, release: null })
    await insertRows(at(), 'execution_log', runs.slice(0, 1))
    expect((await upload()).body).toMatchObject({ version: 3, release: { percent: 5, version_before: 2 } })
    expect((await scene.owner.post(`/scripts/${scriptId}/update`, { script: 'return 1' })).status).toBe(200)
    expect((await live()).version).toBe(4)
    await post('/edit', { staged_releases: false })
    expect((await upload()).body).toMatchObject({ version: 5, release: null })
  })

  it('customers of an ended release are deleted, and its counts stay', async () => {
    await twoVersions()
    const ended = await release(2, { percent: 5 })
    await addCustomers(ended.id, 1, 700, 3)
    await post(`/releases/${ended.id}/rollback`)
    const open = await release(2, { percent: 5 })
    await addCustomers(open.id, 1, 10, 0)
    await pruneReleases(at().deps).run(SIGNAL)
    expect(await rowsOf(at(), 'release_customers', { release_id: ended.id })).toEqual([])
    expect(await rowsOf(at(), 'release_customers', { release_id: open.id })).toHaveLength(10)
    expect(await read(ended.id)).toMatchObject({ health: { customers: 700, failed: 3 } })
  })

  it('are not shown to another account', async () => {
    await twoVersions()
    const { id } = await release(2, { percent: 5 })
    const { owner } = await createOwner(at())
    for (const [foreign, missing] of [
      [`/v1/scripts/${scene.scriptId}/releases`, '/v1/scripts/scr_missing/releases'],
      [`/v1/scripts/${scene.scriptId}/releases/${id}`, `/v1/scripts/scr_missing/releases/${id}`],
      [`/v1/projects/${scene.projectId}/releases`, '/v1/projects/prj_missing/releases'],
      [`/v1/scripts/${scene.scriptId}/channels`, '/v1/scripts/scr_missing/channels'],
    ] as const) {
      const answers = [await owner.get(foreign), await owner.get(missing)]
      expect(answers[0]?.status).toBe(answers[1]?.status)
      expect(answers[0]?.error.type).toBe(answers[1]?.error.type)
    }
  })
})
