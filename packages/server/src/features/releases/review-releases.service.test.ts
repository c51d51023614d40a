/** Reviews of releases that change at the same time, and of releases with unusual figures or clocks. */
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { component, STRONG } from '../../../test/protocol/client.ts'
import { run as runScript } from '../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { changeRows, insertRows, rowOf, rowsOf } from '../../../test/stored.ts'
import { countHealth } from '../health/count-health.ts'
import { readStaging } from './customer-version.ts'
import { reviewReleases } from './review-releases.ts'

const SIGNAL = new AbortController().signal
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const ROUNDS = 6

describe.each(engines)('reviews of releases on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
    await addVersion(scene)
  })

  const addVersion = async ({ owner, scriptId }: Scene) => {
    const body = { script: 'print("new")', release: { percent: 100, guard: 'off' } }
    await owner.post(`/v1/scripts/${scriptId}/update`, body)
    await owner.post(`/v1/scripts/${scriptId}/versions/1/activate`)
  }
  const post = (path: string, body: object = {}) =>
    scene.owner.post(`/v1/scripts/${scene.scriptId}${path}`, body)
  const release = async (body: object = {}, { owner, scriptId } = scene) => {
    const answer = await owner.post(`/v1/scripts/${scriptId}/versions/2/release`, body)
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
    return (answer.body.release as { id: string }).id
  }
  const read = (id: string) => rowOf(at(), 'releases', { id })
  const scriptRow = () => rowOf(at(), 'scripts', { id: scene.scriptId })
  const review = () => reviewReleases(at().deps, () => at().clock.now).run(SIGNAL)
  const later = (ms: number) => {
    at().clock.now += ms
  }
  const addCustomers = async (
    release_id: string,
    fresh: 0 | 1,
    {
      from = 0,
      to,
      bad = 0,
      executor = 'Garden',
    }: { from?: number; to: number; bad?: number; executor?: string },
  ) => {
    const rows = Array.from({ length: to - from }, (_, i) => {
      const customer = `${executor} ${fresh} ${from + i}`
      return {
        release_id,
        fresh,
        executor,
        customer,
        exec: customer,
        bad: i < bad ? (1 as const) : (0 as const),
      }
    })
    await insertRows(at(), 'release_customers', rows)
  }

  it('a rollback is final, whatever happens at the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const id = await release({ percent: 25, over: MINUTE_MS })
      later(MINUTE_MS)
      const [back] = await Promise.all([
        post(`/releases/${id}/rollback`),
        ...[review(), review(), post(`/releases/${id}/edit`, { percent: 50 }), post(`/releases/${id}/pause`)],
      ])
      expect(back.status).toBe(200)
      expect(await read(id)).toMatchObject({ state: 'rolled_back', next_at: null })
      expect(await scriptRow()).toMatchObject({ version: 1, staging: null })
    }
  })

  it('executions always get the share of the release, however it is changed while it grows', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const id = await release({ percent: 25, over: MINUTE_MS })
      later(MINUTE_MS)
      await Promise.all([
        ...[review(), post(`/releases/${id}/edit`, { percent: 10 + round }), review()],
        ...[post(`/releases/${id}/edit`, { percent: 100 }), post(`/releases/${id}/continue`), review()],
      ])
      const [{ percent }, { version, staging }] = [await read(id), await scriptRow()]
      expect(readStaging(staging).releases).toMatchObject([{ id, percent }])
      expect(version).toBe(percent === 100 ? 2 : 1)
      await post(`/releases/${id}/rollback`)
    }
  })

  it('a channel that is removed while its release grows leaves nothing behind', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await post('/channels/beta', { tags: ['tester'] })
      const id = await release({ channel: 'beta', percent: 25, over: MINUTE_MS })
      later(MINUTE_MS)
      const [removed] = await Promise.all([post('/channels/beta/remove'), review(), review()])
      expect(removed.status).toBe(200)
      expect(await read(id)).toMatchObject({ state: 'replaced' })
      expect(await scriptRow()).toMatchObject({ version: 1, staging: null })
      expect(await rowsOf(at(), 'script_channels', { script_id: scene.scriptId })).toEqual([])
    }
  })

  it('a channel can be changed after one of its plans was removed', async () => {
    const made = await scene.owner.post(`/v1/projects/${scene.projectId}/plans/new`, { name: 'Early' })
    const plans = [made.string('plan_id')]
    await post('/channels/beta', { plans })
    expect((await scene.owner.post(`/v1/plans/${plans[0]}/remove`)).status).toBe(200)
    expect((await post('/channels/beta', { plans, tags: ['tester'] })).status).toBe(200)
    expect((await post('/channels/beta', { plans: [...plans, 'pln_missing'] })).status).toBe(400)
    expect((await post('/channels/other', { plans })).status).toBe(400)
  })

  it('a clock that was set back neither grows nor ends a release', async () => {
    const id = await release()
    later(-24 * HOUR_MS)
    const key = await scene.addUser()
    await runScript(scene.client, scene.scriptId, { key })
    await review()
    expect(await read(id)).toMatchObject({ percent: 5, state: 'running' })
    later(27 * HOUR_MS)
    while (await countHealth(at().deps, () => at().clock.now).run(SIGNAL));
    await review()
    expect(await read(id)).toMatchObject({ percent: 25, state: 'running' })
    expect(await rowsOf(at(), 'release_customers', { release_id: id })).toEqual([])
  })

  it('the guard stores how many customers it has judged, even for a healthy version', async () => {
    const id = await release({ percent: 50 })
    for (const to of [60, 130]) {
      for (const fresh of [0, 1] as const) await addCustomers(id, fresh, { from: to === 60 ? 0 : 60, to })
      await review()
      expect(await read(id)).toMatchObject({ looked_at: to, held: 0 })
    }
  })

  it('a release is shown as held again when its guard is turned on again', async () => {
    const id = await release()
    await addCustomers(id, 1, { to: 60, bad: 5 })
    await addCustomers(id, 0, { to: 60 })
    await review()
    expect(await read(id)).toMatchObject({ state: 'running', held: 1 })
    await post(`/releases/${id}/continue`)
    expect(await read(id)).toMatchObject({ held: 0, guard: 'off' })
    await post(`/releases/${id}/edit`, { guard: 'roll_back' })
    await review()
    expect(await read(id)).toMatchObject({ state: 'running', held: 1 })
  })

  it('a release on hold grows again when its guard is turned off', async () => {
    const id = await release()
    await addCustomers(id, 1, { to: 60, bad: 5 })
    await addCustomers(id, 0, { to: 60 })
    await review()
    expect(await read(id)).toMatchObject({ state: 'running', held: 1 })
    await post(`/releases/${id}/edit`, { guard: 'off' })
    expect(await read(id)).toMatchObject({ held: 0 })
    later(3 * HOUR_MS)
    await review()
    expect(await read(id)).toMatchObject({ percent: 25, held: 0 })
  })

  it('a release that cannot be reviewed does not stop those of others', async () => {
    const broken = await release({ guard: 'off' })
    await changeRows(at(), 'releases', { id: broken }, { steps: 'not JSON' })
    const other = await makeScene(at())
    await addVersion(other)
    const id = await release({}, other)
    later(3 * HOUR_MS)
    await expect(review()).rejects.toThrow('JSON')
    expect(await read(id)).toMatchObject({ percent: 25 })
    await changeRows(at(), 'releases', { id: broken }, { steps: '[]' })
  })

  it('the record of an ended release does not grow with the number of executor names', async () => {
    const id = await release({ percent: 50 })
    for (let i = 0; i < 300; i++) await addCustomers(id, 1, { to: 2, executor: `Executor ${i}` })
    await post(`/releases/${id}/rollback`)
    const { evidence } = await read(id)
    expect(evidence?.length).toBeLessThan(300)
    const { body } = await scene.owner.get(`/v1/scripts/${scene.scriptId}/releases/${id}`)
    expect(body.release).toMatchObject({ health: { customers: 600, failed: 0 } })
  })

  it('guests get their version by their device, and keep it', async () => {
    await scene.edit('scripts', { free_for_all: 1 })
    await release({ percent: 50 })
    const start = async (i: number) => {
      const { exec } = await runScript(scene.client, scene.scriptId, {
        fp: { [STRONG]: component(`guest ${i}`) },
      })
      return (await rowOf(at(), 'instances', { exec })).script_version
    }
    const guests = Array.from({ length: 20 }, (_, i) => i)
    const first = await Promise.all(guests.map(start))
    expect(new Set(first)).toEqual(new Set([1, 2]))
    expect(await Promise.all(guests.map(start))).toEqual(first)
  })
})
