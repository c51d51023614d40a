/**
 * An author's Friday over the API: a version that breaks in two of six executors is released, rolled back by
 * the guard and fixed, while the customers keep running the script. `dashboard/authors-friday.test.ts` does
 * the same in a browser.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../packages/server/test/databases.ts'
import { listErrors } from '../packages/server/test/errors.ts'
import { serverOn } from '../packages/server/test/harness.ts'
import {
  BAD,
  BAD_LINE,
  BROKEN,
  createFriday,
  FIXED,
  type Friday,
  HOUR_MS,
  type Started,
} from './friday-scene.ts'

const CUSTOMERS = 180

describe("an author's Friday", () => {
  const { at } = serverOn(sqlite)
  let friday: Friday

  beforeAll(async () => {
    friday = await createFriday(at(), CUSTOMERS)
    const { owner, project } = friday
    await owner.post(`/v1/projects/${project}/edit`, { information_webhook: 'https://hooks.example.com/' })
  })

  const post = async (path: string, body: object) => {
    const answer = await friday.owner.post(`/v1/scripts/${friday.script}${path}`, body)
    expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)])
    return answer.body
  }
  const push = async (script: string, release?: object) =>
    (await post('/update', { script, release })).release as { id: string } & Record<string, unknown>
  const readRelease = async (id: string) =>
    (await friday.owner.get(`/v1/scripts/${friday.script}/releases/${id}`)).body.release as Record<
      string,
      unknown
    >

  /**
   * Expects one error with the author's line, both in the list and in the webhook event, and returns its ID.
   */
  const expectOneError = async (affected: number): Promise<string> => {
    const { owner, project, script } = friday
    const [group, ...others] = await listErrors(owner, script)
    const place = { line: BAD_LINE, function: 'shop.buy' }
    expect([group, others]).toMatchObject([{ kind: 'crash', state: 'open', customers: affected, place }, []])
    const { body } = await owner.get(`/v1/projects/${project}/webhooks/deliveries`)
    const events = body.deliveries as { type: string; body: string }[]
    const event = events.find(({ type }) => type === 'release.rolled_back')
    expect(JSON.parse(event?.body ?? '{}').data).toMatchObject({
      release: { version: 2, version_before: 1 },
      errors: [{ id: group?.id, customers: affected }],
    })
    return group?.id as string
  }
  /** A third of the customers start the script at each step. */
  const expectRamp = async (id: string) => {
    for (const percent of [5, 25, 100]) {
      expect(await readRelease(id)).toMatchObject({ percent, state: 'running', finding: null })
      const started = await friday.startAll(friday.customers.slice(0, CUSTOMERS / 3))
      expect(started.filter(({ version }) => version === 2)).toEqual([])
      await friday.waitUntilCounted(started)
      await friday.later(3 * HOUR_MS)
    }
    await friday.later(24 * HOUR_MS)
    expect(await readRelease(id)).toMatchObject({ state: 'completed', percent: 100, finding: null })
  }

  it('ends with a fixed version that everyone has, and without a customer who was kicked', async () => {
    const bad = await push(BAD, { percent: 50 })
    expect(bad).toMatchObject({ version: 2, version_before: 1, percent: 50, state: 'running' })
    const { crashed, well } = await friday.startAndCrash(friday.customers)
    expect(new Set(well.map(({ version }) => version))).toEqual(new Set([1, 2]))

    const back = await readRelease(bad.id)
    expect(back).toMatchObject({
      state: 'rolled_back',
      health: { failed: crashed.length },
      health_before: { failed: 0 },
      finding: { verdict: 'worse' },
    })
    const { executors } = back.finding as { executors: { executor: string }[] }
    expect(executors.map(({ executor }) => executor).sort()).toEqual(BROKEN)
    await friday.expectRunning(well)
    await friday.expectVersion(1)
    const error = await expectOneError(crashed.length)

    await post(`/errors/${error}/edit`, { state: 'resolved' })
    // Runs of version 2 continue after the rollback.
    await friday.crash(well.find(({ version }) => version === 2) as Started)
    const fixed = await push(FIXED)
    expect(fixed).toMatchObject({ version: 3, version_before: 1, percent: 5, steps: [25, 100] })
    await expectRamp(fixed.id)
    await friday.expectVersion(3)
    expect(await listErrors(friday.owner, friday.script)).toMatchObject([
      { id: error, state: 'resolved', regressed_at: null, customers: crashed.length + 1 },
    ])
  })
})
