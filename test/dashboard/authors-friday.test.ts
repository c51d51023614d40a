/**
 * An author's Friday in a real browser: the author releases a version to 5% of the customers, sees the guard roll it
 * back, finds the line that failed, uploads a fix and watches it reach everyone. Customers run the script with the
 * protocol client.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { effort } from '../../packages/client/test/effort.ts'
import { versionFor } from '../../packages/server/src/features/releases/customer-version.ts'
import { rowOf, rowsOf } from '../../packages/server/test/stored.ts'
import { inEachLook, picture, settle } from '../browser.ts'
import {
  BAD,
  BAD_LINE,
  BROKEN,
  type Customer,
  createFriday,
  FIXED,
  type Friday,
  HOUR_MS,
  type Started,
} from '../friday-scene.ts'
import { signInAs } from '../sign-in.ts'
import { editor, panel } from './forms.ts'
import { ownStage } from './stage.ts'
import { button, dialog } from './users-steps.ts'
import { goTo, tab } from './walk-scene.ts'

/** A 5% release reaches about 100 of these customers, and practically never fewer than `STARTED`. */
const CUSTOMERS = 2000
/** Number of customers per version who start the script. In nightly runs, all of them do. */
const STARTED = effort({ day: 60, night: CUSTOMERS })
/** Number of customers who start first. It is too low for the guard, which compares at least 50. */
const EARLY = 40
/** Number of customers per version who have a live session. */
const CONNECTED = 2
/** Number of customers who start the script at each step of the fix's release. */
const AT_EACH_STEP = 24
const SIZE = { width: 1280, height: 900 }

const stage = ownStage()

/** The author's browser. Its clock starts at the server's time. */
type Author = { readonly context: BrowserContext; readonly page: Page }

async function signIn({ owner, project, script }: Friday, section: string): Promise<Author> {
  const { server, browser } = stage
  const context = await browser.newContext({ viewport: SIZE })
  await context.clock.install({ time: server.clock.now })
  await signInAs(context, server, owner.id)
  const page = await context.newPage()
  await page.goto(`${server.url}/dashboard/#/projects/${project}/scripts/${script}${section}`)
  return { context, page }
}

/** Takes screenshots of the page if SCREENSHOTS is set. */
async function see(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  await inEachLook(page, name, async (look) => {
    await settle(page)
    await picture(page, `friday-${name}-${look}`)
  })
  await page.setViewportSize(SIZE)
  await page.emulateMedia({ colorScheme: 'light' })
}

const card = (page: Page, version: number) =>
  page.getByRole('region', { name: new RegExp(`^Version ${version} on stable`) })
const earlier = (page: Page, version: number) =>
  page
    .getByRole('table', { name: 'Earlier releases' })
    .getByRole('row')
    .filter({ hasText: `Version ${version}` })
const errorRow = (page: Page) => page.getByRole('row').filter({ hasText: 'attempt to index' })

/** Moves the browser's clock to the server's, so that the page loads the new state. */
async function catchUp({ context, page }: Author): Promise<void> {
  const behindMs = stage.server.clock.now - (await page.evaluate<number>('Date.now()'))
  if (behindMs > 0) await context.clock.fastForward(behindMs)
}

/** Returns the customers who get version 2, and those who keep version 1. */
async function sidesOf({ script, customers }: Friday) {
  const { id, version, staging } = await rowOf(stage.server, 'scripts', { id: script })
  const isFresh = ({ key }: Customer) =>
    versionFor({ id, version, staging }, { customer: key, tags: null, plan_id: null }) === 2
  const fresh = customers.filter(isFresh)
  const former = customers.filter((each) => !isFresh(each))
  return { fresh: inTurns(fresh).slice(0, STARTED), former: inTurns(former).slice(0, STARTED) }
}

/** Orders customers so that the first part of the list has about the same number from each executor. */
function inTurns(customers: readonly Customer[]): Customer[] {
  const ofExecutors = [...Map.groupBy(customers, ({ executor }) => executor).values()]
  const turns = Math.max(...ofExecutors.map(({ length }) => length))
  return Array.from({ length: turns }, (_, i) => ofExecutors.flatMap((each) => each.slice(i, i + 1))).flat()
}

/** Opens a live session that answers the server's pings. Returns how the session ended, if it has ended. */
async function connect({ run }: Started): Promise<() => number | undefined> {
  const socket = await run.connect(stage.server.url)
  await socket.frame('ready')
  let code: number | undefined
  void socket.closed.then((closed) => {
    code = closed
  })
  void (async () => {
    for (;;) socket.send({ t: 'pong', n: (await socket.frame('ping')).n })
  })()
  return () => code
}

async function pushBad({ page }: Author): Promise<void> {
  await button(page, 'New version').click()
  await editor(page).fill(BAD)
  await page.getByLabel('Release to').selectOption('share')
  await page.getByLabel('Share in percent').fill('5')
  await see(page, 'upload')
  await button(page, 'Protect and publish').click()
  await page.getByText('walk protected and published. 5% of customers now get version 2.').waitFor()
  await card(page, 2).getByText('Running', { exact: true }).waitFor()
  await see(page, 'started')
}

/** Customers start both versions. Returns the runs that crashed and the runs that did not. */
async function breakTwoExecutors(author: Author, friday: Friday) {
  const { page } = author
  const { fresh, former } = await sidesOf(friday)
  const early = await friday.startAndCrash([...fresh.slice(0, EARLY), ...former])
  await catchUp(author)
  await card(page, 2).getByText(`${EARLY} customers`).waitFor()
  await card(page, 2).getByText(`${early.crashed.length} failed`).waitFor()
  await card(page, 2).getByText('Running', { exact: true }).waitFor()
  await see(page, 'too-few')
  const late = await friday.startAndCrash(fresh.slice(EARLY))
  await catchUp(author)
  const crashed = [...early.crashed, ...late.crashed]
  const well = [...early.well, ...late.well]
  const versions = [...crashed, ...well].map(({ version }) => version)
  expect(versions.filter((version) => version === 2)).toHaveLength(fresh.length)
  expect(versions.filter((version) => version === 1)).toHaveLength(former.length)
  return { crashed, well }
}

async function seeRollback({ page }: Author, crashed: readonly Started[]): Promise<void> {
  await earlier(page, 2).getByText('Rolled back').waitFor()
  await see(page, 'rolled-back')
  await earlier(page, 2).getByRole('button', { name: 'Version 2' }).click()
  const affected = dialog(page).getByRole('list', { name: 'Affected executors' })
  for (const executor of BROKEN) {
    const failed = crashed.filter((each) => each.executor === executor).length
    await affected
      .getByRole('listitem')
      .filter({ hasText: executor })
      .getByText(`${failed} of ${failed}`)
      .waitFor()
  }
  expect(await affected.getByRole('listitem').count()).toBe(BROKEN.length)
  await see(page, 'finding')
  await dialog(page).getByRole('link', { name: 'Errors in version 2' }).click()
}

async function resolveError({ page }: Author, crashed: readonly Started[]): Promise<void> {
  await errorRow(page).getByText(`Line ${BAD_LINE} in shop.buy`).waitFor()
  expect(await errorRow(page).count()).toBe(1)
  await see(page, 'errors')
  await errorRow(page).getByRole('button').first().click()
  const failing = dialog(page).locator('pre span').filter({ hasText: 'return item.price.gold' }).first()
  await expect.poll(() => failing.textContent()).toContain('(Failed here)')
  await dialog(page).getByText(`${crashed.length} times in ${crashed.length} runs`).waitFor()
  await see(page, 'error')
  await button(page, 'Resolve').click()
  await button(page, 'Reopen').waitFor()
  await button(page, 'Close').click()
}

async function pushFix({ page }: Author): Promise<void> {
  await button(page, 'New version').click()
  await editor(page).fill(FIXED)
  await button(page, 'Protect and publish').click()
  await page.getByText('walk protected and published. 5% of customers now get version 3.').waitFor()
}

/** The release of the fix reaches everyone while customers start the script at each step. */
async function watchRamp(author: Author, friday: Friday): Promise<void> {
  const { page } = author
  for (const [share, next] of [
    ['5%', 'Next: 25% on'],
    ['25%', 'Next: 100% on'],
    ['100%', 'Completes on'],
  ] as const) {
    await card(page, 3).getByText(next).waitFor()
    await card(page, 3).getByText(share, { exact: true }).waitFor()
    await panel(page, 'Channels')
      .getByText(`Version ${share === '100%' ? 3 : 1}`)
      .waitFor()
    await see(page, `ramp-${share.slice(0, -1)}`)
    const started = await friday.startAll(friday.customers.slice(0, AT_EACH_STEP))
    expect(started.filter(({ version }) => version === 2)).toEqual([])
    await friday.waitUntilCounted(started)
    await friday.later(3 * HOUR_MS)
    await catchUp(author)
  }
}

/** The author returns the next day. */
async function seeEnd(friday: Friday): Promise<void> {
  await friday.later(24 * HOUR_MS)
  const { page } = await signIn(friday, '?tab=releases')
  await earlier(page, 3).getByText('Completed').waitFor()
  await see(page, 'completed')
  await tab(page, 'Errors').click()
  await errorRow(page).getByText('Resolved').waitFor()
  await see(page, 'resolved')
  await goTo(page, 'Live sessions')
  await expect.poll(() => page.getByText('Connected', { exact: true }).count()).toBe(2 * CONNECTED)
  await see(page, 'sessions')
}

/**
 * Returns the IDs of the runs that have ended: those that the server kicked, and those that reported their
 * end.
 */
async function listStopped({ script }: Friday): Promise<string[]> {
  const runs = await rowsOf(stage.server, 'instances', { script_id: script })
  return runs.flatMap(({ kick, exec }) => (kick === null ? [] : [exec])).sort()
}

describe("an author's Friday", () => {
  it('is seen from the release of a broken version to its fix, without a customer who is kicked', async () => {
    const friday = await createFriday(stage.server, CUSTOMERS)
    const author = await signIn(friday, '')
    await pushBad(author)
    const { crashed, well } = await breakTwoExecutors(author, friday)
    await seeRollback(author, crashed)
    await friday.expectRunning(well)
    await friday.expectVersion(1)
    const ofVersion = (version: number) => well.filter((each) => each.version === version)
    const live = [1, 2].flatMap((version) => ofVersion(version).slice(0, CONNECTED))
    const endings = await Promise.all(live.map(connect))

    await resolveError(author, crashed)
    // Runs of version 2 continue after the rollback.
    const last = ofVersion(2).at(-1) as Started
    await friday.crash(last)
    await pushFix(author)
    await watchRamp(author, friday)
    await friday.expectVersion(3)
    await seeEnd(friday)
    expect(endings.map((ending) => ending())).toEqual(live.map(() => undefined))
    expect(await listStopped(friday)).toEqual([...crashed, last].map(({ run }) => run.exec).sort())
  })
})
