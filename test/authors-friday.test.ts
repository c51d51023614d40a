/**
 * An author's Friday: a version that breaks in two of six executors is released, rolled back by the
 * guard and fixed in
 * the dashboard, while the customers keep running the script.
 */
import { ERRORS_LOADER_BUILD } from '@scriptward/client/live-messages'
import { beforeAll, describe, expect, it } from 'vitest'
import { countHealth } from '../packages/server/src/features/health/count-health.ts'
import { reviewReleases } from '../packages/server/src/features/releases/review-releases.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { groupAll, listErrors, protectedLines } from '../packages/server/test/errors.ts'
import { type Owner, serverOn } from '../packages/server/test/harness.ts'
import { createOwner, createScript } from '../packages/server/test/nouns.ts'
import { ProtocolClient } from '../packages/server/test/protocol/client.ts'
import { LIVE, type Running, run } from '../packages/server/test/protocol/running.ts'
import { rowOf } from '../packages/server/test/stored.ts'
import { picture } from './browser.ts'
import { editor } from './dashboard/forms.ts'
import { signInAs } from './sign-in.ts'
import { openWindows } from './windows.ts'

const HOUR_MS = 3_600_000
/** The age at which a run is counted. */
const COUNTED_AFTER_MS = 90_000
const CUSTOMERS = 180
/** Number of runs that start concurrently. */
const AT_ONCE = 12

const EXECUTORS = ['Birch', 'Cedar', 'Elm', 'Larch', 'Maple', 'Willow']
/** Executors that lack a feature used by version 2. */
const BROKEN = ['Elm', 'Larch']

const GOOD =
  'local shop = {}\nfunction shop.buy(item)\n\treturn item.price\nend\nprint(shop.buy({ price = 3 }))'
const BAD = GOOD.replace('item.price', 'item.price.gold')
const BAD_LINE = 3
const FIXED = GOOD.replace('item.price', 'item.price or 0')

const options = { preset: 'light' }

type Customer = { readonly key: string; readonly executor: string }
type Started = Customer & { readonly run: Running; readonly version: number }

describe("an author's Friday", () => {
  const { at } = serverOn(sqlite)
  const browser = openWindows()
  let owner: Owner
  let project = ''
  let script = ''
  let client: ProtocolClient
  let customers: readonly Customer[] = []

  beforeAll(async () => {
    const made = await createOwner(at())
    owner = made.owner
    script = await createScript(owner, made.project, { name: 'walk', script: GOOD, options })
    client = new ProtocolClient(at().url)
    const { body } = await owner.post(`/v1/projects/${made.project}/users/generate`, { amount: CUSTOMERS })
    customers = (body.user_keys as string[]).map((key, i) => ({
      key,
      executor: EXECUTORS[i % EXECUTORS.length] as string,
    }))
    await owner.post(`/v1/projects/${made.project}/edit`, {
      information_webhook: 'https://hooks.example.com/',
    })
    project = made.project
  })

  const post = async (path: string, body: object = {}) => {
    const answer = await owner.post(`/v1/scripts/${script}${path}`, body)
    expect([path, answer.status, answer.text]).toEqual([path, 200, expect.any(String)])
    return answer.body
  }
  const readRelease = async (id: string) =>
    (await owner.get(`/v1/scripts/${script}/releases/${id}`)).body.release as Record<string, unknown>
  const push = async (source: string, release: object = {}) =>
    (await post('/update', { script: source, options, release })).release as { id: string } & Record<
      string,
      unknown
    >

  /** Opens a section of the script's page as the author. */
  const open = async (tab: string) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    await signInAs(context, at(), owner.id)
    const page = await context.newPage()
    await page.goto(`${at().url}/dashboard/#/projects/${project}/scripts/${script}?tab=${tab}`)
    return page
  }
  const seeRelease = async (state: string) => {
    const page = await open('releases')
    await page.getByText(state, { exact: true }).first().waitFor()
    await picture(page, `friday-${state.toLowerCase().replaceAll(' ', '-')}`)
  }
  const resolveError = async () => {
    const page = await open('reported')
    const row = page.getByRole('row').filter({ hasText: 'attempt to index' })
    await row.getByText(`Line ${BAD_LINE}`).waitFor()
    await row.getByRole('button').first().click()
    const drawer = page.getByRole('dialog').last()
    const failing = drawer.locator('pre span').filter({ hasText: 'return item.price.gold' }).first()
    await expect.poll(() => failing.textContent()).toContain('(Failed here)')
    await picture(page, 'friday-error')
    await drawer.getByRole('button', { name: 'Resolve' }).click()
    await drawer.getByRole('button', { name: 'Reopen' }).waitFor()
  }
  /** Returns the ID of the release that the upload starts. */
  const uploadFix = async (): Promise<string> => {
    const page = await open('new')
    await editor(page).fill(FIXED)
    await page.getByRole('button', { name: 'Protect and publish' }).click()
    await page.getByText('walk protected and published. 5% of customers get version 3 now.').waitFor()
    const { body } = await owner.get(`/v1/scripts/${script}/releases?state=open`)
    const [release] = body.releases as { id: string }[]
    return release?.id as string
  }

  const start = async ({ key, executor }: Customer): Promise<Started> => {
    const host = { executor, version: '1', platform: 'game' }
    const started = await run(client, script, { ...LIVE, lb: ERRORS_LOADER_BUILD, key, host })
    const { script_version: version } = await rowOf(at(), 'instances', { exec: started.exec })
    return { key, executor, run: started, version }
  }
  const startAll = async (which: readonly Customer[]): Promise<Started[]> => {
    const started: Started[] = []
    for (let i = 0; i < which.length; i += AT_ONCE)
      started.push(...(await Promise.all(which.slice(i, i + AT_ONCE).map(start))))
    return started
  }
  /** Sends the report with which a loader ends a run whose script failed. */
  const crash = async ({ run: ended }: Started) => {
    const [line = 0] = await protectedLines(at(), script, { version: 2, line: BAD_LINE })
    const text = `walk:${line}: attempt to index a number value (field 'price')`
    const e = [{ kind: 'crash', text, at: [line], n: 1 }]
    expect((await ended.send(ended.endBody(undefined, undefined, { e }), 'end')).status).toBe(200)
  }

  /** Runs the server's jobs, which otherwise run every few seconds. */
  const work = async () => {
    const health = countHealth(at().deps, () => at().clock.now)
    const { signal } = new AbortController()
    while (await health.run(signal));
    await groupAll(at())
    await reviewReleases(at().deps, () => at().clock.now).run(signal)
  }
  const verdicts = async (runs: readonly Started[]) =>
    new Set(await Promise.all(runs.map((each) => each.run.verdict())))
  const later = (ms: number) => {
    at().clock.now += ms
  }

  /**
   * Starts the script for every customer, and some runs crash. Returns the runs that crashed, and the other
   * runs.
   */
  const startFriday = async () => {
    const started = await startAll(customers)
    expect(new Set(started.map(({ version }) => version))).toEqual(new Set([1, 2]))
    const isCrashed = ({ version, executor }: Started) => version === 2 && BROKEN.includes(executor)
    const [crashed, well] = [started.filter(isCrashed), started.filter((each) => !isCrashed(each))]
    for (const each of crashed) await crash(each)
    await waitUntilCounted(well)
    return { crashed, well }
  }
  /** Sends heartbeats until the runs are counted. */
  const waitUntilCounted = async (well: readonly Started[]) => {
    later(COUNTED_AFTER_MS / 2)
    expect(await verdicts(well)).toEqual(new Set(['ok']))
    later(COUNTED_AFTER_MS / 2 + 1)
    await work()
  }
  const expectVersion = async (version: number) => {
    const started = await startAll(customers.slice(0, EXECUTORS.length * 2))
    expect(new Set(started.map((each) => each.version))).toEqual(new Set([version]))
  }
  /**
   * Expects one error with the author's line, both in the list and in the webhook event, and returns its ID.
   */
  const expectOneError = async (affected: number): Promise<string> => {
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
      const started = await startAll(customers.slice(0, CUSTOMERS / 3))
      expect(started.filter(({ version }) => version === 2)).toEqual([])
      await waitUntilCounted(started)
      later(3 * HOUR_MS)
      await work()
    }
    later(24 * HOUR_MS)
    await work()
    expect(await readRelease(id)).toMatchObject({ state: 'completed', percent: 100, finding: null })
  }

  it('ends with a fixed version that everyone has, and without a customer who was kicked', async () => {
    const bad = await push(BAD, { percent: 50 })
    expect(bad).toMatchObject({ version: 2, version_before: 1, percent: 50, state: 'running' })
    await seeRelease('Running')
    const { crashed, well } = await startFriday()

    const back = await readRelease(bad.id)
    expect(back).toMatchObject({
      state: 'rolled_back',
      health: { failed: crashed.length },
      health_before: { failed: 0 },
      finding: { verdict: 'worse' },
    })
    const { executors } = back.finding as { executors: { executor: string }[] }
    expect(executors.map(({ executor }) => executor).sort()).toEqual(BROKEN)
    expect(await verdicts(well)).toEqual(new Set(['ok']))
    await expectVersion(1)
    await seeRelease('Rolled back')
    const error = await expectOneError(crashed.length)

    await resolveError()
    // Runs of version 2 continue after the rollback.
    await crash(well.find(({ version }) => version === 2) as Started)
    const fixed = await uploadFix()
    const steps = { version: 3, version_before: 1, percent: 5, steps: [25, 100] }
    expect(await readRelease(fixed)).toMatchObject(steps)
    await expectRamp(fixed)
    await expectVersion(3)
    await seeRelease('Completed')
    expect(await listErrors(owner, script)).toMatchObject([
      { id: error, state: 'resolved', regressed_at: null, customers: crashed.length + 1 },
    ])
  })
})
