/**
 * Tests the overview, statistics, logs and denials in a real browser, in a project that has been in use for
 * weeks.
 */
import { readFileSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { DENIALS, UNSENT_DENIALS } from '../../packages/client/src/messages.ts'
import { REASON_NAMES } from '../../packages/dashboard/src/lib/denials.ts'
import { localDate } from '../../packages/dashboard/src/lib/when.ts'
import { text } from '../../packages/dashboard/src/messages/text.ts'
import { groupAll, reportErrors } from '../../packages/server/test/errors.ts'
import type { TestServer } from '../../packages/server/test/harness.ts'
import { createOwner, createProject, createTier } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { loggedExecution } from '../../packages/server/test/store/rows.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import { signInAs } from '../sign-in.ts'
import { type Busy, makeBusy } from './busy-project.ts'
import { inspect } from './inspect.ts'
import { sharedStage } from './stage.ts'

const stage = sharedStage()
const { browser } = stage
let server: TestServer
let busy: Busy

beforeAll(async () => {
  server = stage.server
  busy = await makeBusy(server)
})

type As = { readonly seat?: Seat; readonly look?: BrowserContextOptions; readonly hasServerTime?: boolean }

async function open(room: string, { seat, look = {}, hasServerTime }: As = {}): Promise<Page> {
  const context = await browser.newContext(look)
  if (hasServerTime) await context.clock.setFixedTime(server.clock.now)
  await signInAs(context, server, busy.owner.id, seat)
  const page = await context.newPage()
  await page.goto(addressOf(room))
  return page
}

const addressOf = (room: string) => `${server.url}/dashboard/#/projects/${busy.project}${room}`
const panel = (page: Page, name: string) => page.getByRole('region', { name })
const rows = (page: Page) =>
  page.getByRole('table', { name: 'Recent denials' }).locator('tbody tr[data-index]')

describe('the overview', () => {
  it('shows figures with trends, equal to those of the API', async () => {
    const page = await open('')
    const { outcomes } = (await busy.owner.get(`/v1/projects/${busy.project}/outcomes?step=hour`)).body as {
      outcomes: { granted: number; denied: Record<string, number> }[]
    }
    const last = outcomes.slice(-24)
    const runs = last.reduce((sum, { granted }) => sum + granted, 0).toLocaleString('en')
    const denied = last.flatMap((each) => Object.values(each.denied)).reduce((sum, count) => sum + count, 0)
    await page.getByText(runs, { exact: true }).waitFor()
    await page.getByText(/^[▲▼] .*% vs previous 24 h$/).waitFor()
    await page.getByText(/pp vs previous 24 h$/).waitFor()
    const more = `${denied.toLocaleString('en')} more were denied`
    const words = `${runs} runs, [\\d.]+% (more|fewer) than in the previous 24 h \\([\\d,]+\\)\\. ${more}\\.`
    await page.getByText(new RegExp(`^${words}$`)).waitFor()
    await page.getByText('0 live sessions').waitFor()
  })

  it('shows crash-free customers of the live versions, or why there are none', async () => {
    const page = await open('')
    const health = (await busy.owner.get(`/v1/projects/${busy.project}/health`)).body
    expect(health).toMatchObject({ customers: 4060, crashed_customers: 120 })
    await page.getByText('97%', { exact: true }).waitFor()
    await page.getByText('fair, 120 of 4,060 had a crash on live versions').waitFor()
    await page.goto(addressOf('/scripts'))
    await page.route('**/projects/*/health', (route) => route.fulfill({ status: 500, body: '{}' }))
    await page.reload()
    await page.goto(addressOf(''))
    await page.getByText("Couldn't load this.").waitFor()
    await page.unroute('**/projects/*/health')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('97%', { exact: true }).waitFor()
    const empty = await createProject(busy.owner)
    await page.goto(`${server.url}/dashboard/#/projects/${empty}`)
    await page.getByRole('button', { name: 'Skip to overview' }).click()
    await page.getByText('no runs on live versions').waitFor()
  })

  it('is in English, including numbers, in a browser with another language', async () => {
    const page = await open('', { look: { locale: 'de-DE' } })
    await page.getByText(/^[▲▼] [\d,]+(\.\d)?% vs previous 24 h$/).waitFor()
  })

  it('keeps its period in the URL, and shows its chart as a table', async () => {
    const page = await open('')
    await page.getByRole('button', { name: '30 days' }).click()
    await page.waitForURL(/period=30d/)
    const chart = panel(page, 'Runs by outcome')
    await chart.getByRole('button', { name: 'Show as table' }).click()
    await expect.poll(() => chart.locator('tbody tr').count()).toBe(30)
    await expect.poll(() => chart.locator('thead').textContent()).toContain('Previous 30 days')
    await page.reload()
    await expect
      .poll(() => page.getByRole('button', { name: '30 days', exact: true }).getAttribute('aria-pressed'))
      .toBe('true')
  })

  it('announces each hour to screen readers, shows its values to the pointer, and opens its runs', async () => {
    const page = await open('', { hasServerTime: true })
    const chart = page.getByRole('slider', { name: 'Runs by outcome' })
    await chart.focus()
    const last = await chart.getAttribute('aria-valuetext')
    expect(last).toMatch(/, so far: Granted \d+, Denied \d+, Crashed \d+, Previous 24 hours \d+$/)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('22')
    expect(await chart.getAttribute('aria-valuetext')).not.toBe(last)
    await page.keyboard.press('Home')
    await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('0')
    await page.keyboard.press('End')
    const box = await chart.boundingBox()
    if (!box) throw new Error('the chart has no size')
    await page.mouse.move(box.x + box.width - 8, box.y + 60)
    const values = page.locator('figure', { has: chart }).getByText(/so far$/)
    await values.waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.waitForURL(/logs\?from=\d+&to=\d+&period=24h$/)
    const query = new URLSearchParams(page.url().split('?')[1])
    expect(Number(query.get('to')) - Number(query.get('from'))).toBe(3_599_999)
  })

  it('zooms into the dragged range of days, and hides a series with its legend entry', async () => {
    const page = await open('/statistics')
    const chart = panel(page, 'Runs by script and day')
    const plot = chart.getByRole('slider')
    await plot.scrollIntoViewIfNeeded()
    const box = await plot.boundingBox()
    if (!box) throw new Error('the chart has no size')
    await page.mouse.move(box.x + box.width * 0.4, box.y + 60)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 4 })
    await page.mouse.up()
    await expect.poll(async () => Number(await plot.getAttribute('aria-valuemax'))).toBeLessThan(9)
    await chart.getByRole('button', { name: 'Reset zoom' }).click()
    await expect.poll(() => plot.getAttribute('aria-valuemax')).toBe('29')
    await chart.getByRole('button', { name: 'Radar' }).click()
    await page.waitForURL(/script=/)
    const usage = await open(`/scripts/${busy.scripts[0]}?tab=statistics`)
    const runs = panel(usage, 'Runs').getByRole('slider')
    await expect.poll(() => runs.getAttribute('aria-valuetext')).toContain('Denied')
    await usage.getByRole('button', { name: /^Denied/ }).click()
    await expect.poll(() => runs.getAttribute('aria-valuetext')).not.toContain('Denied')
  })

  it('links each reason to its denials', async () => {
    const page = await open('')
    await panel(page, 'Denials by reason').getByRole('link', { name: 'Key expired' }).click()
    await page.waitForURL(/denials\?reason=key_expired/)
    await rows(page).first().waitFor()
    expect(new Set(await rows(page).locator('button').allTextContents())).toEqual(
      new Set(['Denied: key expired']),
    )
  })

  it('names the missing permission in each panel, and shows the others', async () => {
    const seat: Seat = { role: 'custom', scopes: ['projects:read', 'statistics:read'] }
    const page = await open('', { seat })
    await panel(page, 'Denials by reason').getByRole('link', { name: 'Key expired' }).waitFor()
    await panel(page, 'Webhooks').getByText('webhooks:read').waitFor()
    await panel(page, 'Users by status').getByText('users:read').waitFor()
    await panel(page, 'Account limits').getByText('account:read').waitFor()
    await panel(page, 'Recent denials').getByText('users:read').waitFor()
  })

  it('loses only one panel when one request fails, and recovers it', async () => {
    const page = await open('/scripts')
    await page.route('**/webhooks', (route) => route.fulfill({ status: 500, body: '{}' }))
    await page.goto(addressOf(''))
    const failed = panel(page, 'Webhooks').getByRole('button', { name: 'Try again' })
    await failed.waitFor()
    await panel(page, 'Users by status').getByRole('link', { name: 'Active' }).waitFor()
    await page.unroute('**/webhooks')
    await failed.click()
    await panel(page, 'Webhooks').getByText('No endpoints yet.').waitFor()
  })

  it('warns about a limit that is almost reached', async () => {
    const { owner, project } = await createOwner(server)
    const tier = await createTier(server, { max_projects: 1 })
    await server.admin.post(`/v1/admin/customers/${owner.id}/edit`, { tier })
    const context = await browser.newContext()
    await signInAs(context, server, owner.id)
    const page = await context.newPage()
    await page.goto(`${server.url}/dashboard/#/projects/${project}`)
    await page.getByRole('button', { name: 'Skip to overview' }).click()
    await panel(page, 'Account limits').getByText('Projects · almost full').waitFor()
    await panel(page, 'Account limits').getByText('1 of 1').waitFor()
  })
})

describe('statistics', () => {
  it('keep period and script in the URL', async () => {
    const page = await open('/statistics')
    await page.getByRole('button', { name: '7 days' }).click()
    await page.waitForURL(/period=7d/)
    await page.getByRole('button', { name: '+ Script' }).click()
    await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'Radar' })
    await page.waitForURL(/script=/)
    const table = page.getByRole('table', { name: 'Runs per script' })
    await expect.poll(() => table.locator('tbody tr[data-index]').count()).toBe(1)
    await table.getByText('Radar').waitFor()
  })

  it('can be exported as a table in which no name is a formula', async () => {
    const page = await open('/statistics')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV: Runs by executor' }).click()
    const csv = readFileSync(await (await saved).path(), 'utf8')
    expect(csv).toMatch(/^Executor,Runs,Share \(%\)\r\n/)
    expect(csv).toMatch(/^"'=SUM\(A1\)",\d+,[\d.]+\r?$/m)
    const again = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download CSV: Runs by script and day' }).click()
    const days = readFileSync(await (await again).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(days).toHaveLength(31)
    expect(days[0]).toContain('Season pass - beta')
    expect(days.at(-1)?.slice(0, 10)).toBe(new Date(server.clock.now).toISOString().slice(0, 10))
  })
})

describe('logs', () => {
  const runs = (page: Page) =>
    page.getByRole('table', { name: 'Runs', exact: true }).locator('tbody tr[data-index]')

  it('show every run with its outcome and state, and the details of one', async () => {
    const page = await open('/logs')
    await runs(page).filter({ hasText: 'Crashed' }).first().waitFor()
    await runs(page).filter({ hasText: 'Vanished' }).first().waitFor()
    await runs(page).filter({ hasText: 'Ada, first friend' }).first().waitFor()
    const denied = runs(page).filter({ hasText: 'Denied: key expired' }).first()
    await denied.getByRole('button', { name: 'Denied: key expired' }).click()
    const drawer = page.getByRole('dialog', { name: 'Denied: key expired' })
    await drawer.getByText('Execution ID').waitFor()
    await drawer.getByText('Extend the key, or sell').waitFor()
    await page.reload()
    await drawer.getByText('Execution ID').waitFor()
    await drawer.getByRole('link', { name: 'All runs of this customer' }).click()
    await page.waitForURL(/user_key=/)
  })

  it('can be filtered by outcome, and by time by dragging over the chart', async () => {
    const page = await open('/logs?outcome=crashed')
    await runs(page).first().waitFor()
    await expect.poll(() => runs(page).filter({ hasText: 'Granted' }).count()).toBe(0)
    const chart = page.getByRole('slider', { name: 'Runs over time' })
    await chart.scrollIntoViewIfNeeded()
    const box = await chart.boundingBox()
    if (!box) throw new Error('the chart has no size')
    await page.mouse.move(box.x + box.width * 0.3, box.y + 80)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 90, { steps: 5 })
    await page.mouse.up()
    await page.waitForURL(/from=\d+.*to=\d+/)
    await page.getByRole('button', { name: 'Remove filter: Period' }).click()
    await page.waitForURL(/outcome=crashed$/)
    await page.getByRole('button', { name: /^Denied/ }).click()
    await page.waitForURL(/outcome=denied$/)
    await runs(page).filter({ hasText: 'Denied: ' }).first().waitFor()
    await expect.poll(() => runs(page).filter({ hasText: 'Crashed' }).count()).toBe(0)
  })

  it('can be limited to a time range with the keyboard, which is announced and kept in the URL', async () => {
    const page = await open('/logs')
    await runs(page).first().waitFor()
    const all = await runs(page).count()
    const period = page.getByRole('button', { name: /^Period: / })
    await period.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Choose a time range' }).press('Enter')
    const form = page.getByRole('dialog', { name: 'Choose a time range' })
    const [from, to] = [form.getByLabel('From', { exact: true }), form.getByLabel('To', { exact: true })]
    const start = await to.inputValue()
    await from.fill(start)
    await from.press('Enter')
    await expect.poll(() => to.getAttribute('aria-invalid')).toBe('true')
    await form.getByText('Enter a date and time after the start.').waitFor()
    const [first, length] = [server.clock.now - 20 * 60_000, 10 * 60_000]
    await from.fill(localDate(first))
    await to.fill(localDate(first + length))
    await to.press('Enter')
    await page.waitForURL(/from=\d+.*to=\d+/)
    const query = new URLSearchParams(page.url().split('?')[1])
    expect(Number(query.get('to')) - Number(query.get('from'))).toBe(length)
    const chosen = period.filter({ hasText: / to / })
    await chosen.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/ to /)
    await expect.poll(() => runs(page).count()).toBeLessThan(all)
    await page.reload()
    await chosen.waitFor()
    await page.getByRole('button', { name: 'Remove filter: Period' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/logs$/)
  })

  it('list the errors that a run reported, with a link to each', async () => {
    const { project, scripts } = busy
    const run = { ...loggedExecution, project_id: project, script_id: scripts[0] ?? '', executor: 'Falling' }
    const row = { ...run, exec: 'falling-run', at: server.clock.now, user_key: null }
    await insertRows(server, 'execution_log', { ...row, outcome: 'crashed' })
    const page = await open('/logs?executor=Falling')
    await runs(page).getByRole('button', { name: 'Crashed' }).click()
    const drawer = page.getByRole('dialog', { name: 'Crashed' })
    await drawer.getByText("haven't been processed yet").waitFor()
    const text = '<b>no rake</b>'
    await reportErrors(
      server,
      { ...run, exec: 'falling-run' },
      { text },
      { text: 'no spade', kind: 'caught' },
    )
    await groupAll(server)
    await drawer.getByRole('link', { name: 'no spade' }).waitFor()
    await page.route('**/errors?*', (route) => route.fulfill({ status: 500, body: '{}' }))
    await page.reload()
    const again = drawer.getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute('**/errors?*')
    await again.click()
    await drawer.getByRole('heading', { name: text }).waitFor()
    await drawer.getByText('No other customer hit this').waitFor()
    await drawer.getByRole('link', { name: 'View error' }).click()
    await page.getByRole('dialog', { name: text }).getByText('Ended the script').waitFor()
  })

  it('are filtered by a sentence: outcome, script, version, and a customer found by name', async () => {
    const page = await open('/logs')
    const said = page.getByRole('search', { name: 'Filter runs' })
    await said.getByRole('button', { name: 'Outcome: All runs' }).click()
    await page.getByRole('button', { name: 'Denied runs' }).click()
    await page.waitForURL(/outcome=denied$/)
    await said.getByRole('button', { name: 'Reason: any reason' }).click()
    await page.getByRole('searchbox', { name: 'Search' }).fill('expir')
    await page.getByRole('button', { name: 'Key expired', exact: true }).click()
    await page.waitForURL(/reason=key_expired/)
    await expect.poll(() => runs(page).filter({ hasText: 'Denied: key expired' }).count()).toBeGreaterThan(0)
    await expect.poll(() => runs(page).filter({ hasText: 'Denied: different device' }).count()).toBe(0)
    await said.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL(/logs$/)
    await said.getByRole('button', { name: 'Customer: any customer' }).click()
    await page.getByLabel('Name, Discord ID or key').fill('linus')
    await page.getByRole('button', { name: 'Linus, tester' }).click()
    await said.getByRole('button', { name: 'Customer: Linus, tester' }).waitFor()
    await expect.poll(() => runs(page).filter({ hasText: 'Ada, first friend' }).count()).toBe(0)
    await runs(page).filter({ hasText: 'Linus, tester' }).first().waitFor()
    await said.getByRole('button', { name: 'Script: any script' }).click()
    await page.getByRole('button', { name: 'Auto farm' }).click()
    await said.getByRole('button', { name: 'Version: any version' }).click()
    await page.getByLabel('Version number').fill('9')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await said.getByRole('button', { name: 'Version: version 9' }).waitFor()
    await said.getByRole('button', { name: 'Remove filter: Version' }).click()
    await runs(page).first().waitFor()
  })

  it('step through runs with J and K, and close with Escape', async () => {
    const page = await open('/logs')
    await runs(page).nth(2).waitFor()
    await runs(page).first().getByRole('button').click()
    const drawer = page.locator('dialog[open]')
    const id = drawer.locator('dd').last()
    const first = await id.textContent()
    expect(await drawer.getByRole('button', { name: 'Previous run' }).isDisabled()).toBe(true)
    await page.keyboard.press('j')
    await expect.poll(() => id.textContent()).not.toBe(first)
    const second = page.url()
    await page.keyboard.press('k')
    await expect.poll(() => id.textContent()).toBe(first)
    await drawer.getByRole('button', { name: 'Next run' }).click()
    await page.waitForURL(second)
    await page.keyboard.press('Escape')
    await page.waitForURL(/logs$/)
  })

  it('open beside the list in wide windows, which stays usable, and above it in narrow ones', async () => {
    const page = await open('/logs')
    await runs(page).nth(2).getByRole('button').click()
    const drawer = page.locator('dialog[open]')
    const id = drawer.locator('dd').last()
    const third = await id.textContent()
    const isModal = async () => (await page.locator('dialog:modal').count()) > 0
    expect(await isModal()).toBe(false)
    await expect.poll(() => runs(page).nth(2).getAttribute('aria-current')).toBe('true')
    const [list, panel] = await Promise.all([runs(page).nth(2).boundingBox(), drawer.boundingBox()])
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual(panel?.x ?? 0)
    await inspect(page, 'a run beside the list')
    await runs(page).first().getByRole('button').click()
    await expect.poll(() => id.textContent()).not.toBe(third)
    await page.keyboard.press('j')
    await expect.poll(() => runs(page).nth(1).getAttribute('aria-current')).toBe('true')
    await page.setViewportSize({ width: 1000, height: 720 })
    await expect.poll(isModal).toBe(true)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  it('are exported as filtered, with names that spreadsheets never treat as formulas', async () => {
    const page = await open('/logs?outcome=crashed')
    await runs(page).first().waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\r\n')
    expect(lines[0]).toMatch(/^When,Outcome,Reason,Customer,/)
    expect(lines.slice(1).every((line) => line.includes(',crashed,'))).toBe(true)
    expect(lines.length - 1).toBe(await runs(page).count())
    await page.getByText(`${lines.length - 1} runs exported.`).waitFor()
  })

  it('reset the device of a denied customer from the drawer', async () => {
    const page = await open('/logs?reason=fingerprint_mismatch')
    await runs(page).first().getByRole('button').click()
    const drawer = page.locator('dialog[open]').first()
    await drawer.getByRole('button', { name: 'Reset device' }).click()
    await page
      .getByRole('dialog', { name: 'Reset the device?' })
      .getByRole('button', { name: 'Reset device' })
      .click()
    await drawer.getByText('Device reset.').waitFor()
  })

  it('show new runs without a reload while they are live', async () => {
    const page = await open('/logs?executor=Fresh')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    const { project, scripts } = busy
    const run = { ...loggedExecution, project_id: project, script_id: scripts[0] ?? '', executor: 'Fresh' }
    await insertRows(server, 'execution_log', {
      ...run,
      exec: 'fresh-run',
      at: server.clock.now,
      user_key: null,
    })
    await runs(page).first().waitFor()
  })
})

describe('the versions of a script', () => {
  it('show how many customers had no crash, also by executor', async () => {
    const page = await open(`/scripts/${busy.scripts[0]}?tab=versions`)
    const versions = page.getByRole('table', { name: 'Versions of this script' })
    await versions.getByText('97%').waitFor()
    const executors = page.getByRole('table', { name: 'Version 1 by executor' })
    await executors.getByRole('row').filter({ hasText: 'Wave' }).waitFor()
  })
})

describe('denials', () => {
  it('have a message for every reason of the server', () => {
    const unsent: readonly string[] = UNSENT_DENIALS
    const sent = Object.keys(DENIALS).filter((reason) => !unsent.includes(reason))
    expect(REASON_NAMES.toSorted()).toEqual(sent.toSorted())
    for (const [reason, words] of Object.entries(text.denials.reasons))
      expect([reason, Object.values(words).filter((each) => each.trim().length < 4)]).toEqual([reason, []])
  })

  it('are grouped by customer and reason, and explain the fix once', async () => {
    const page = await open('/denials')
    const group = rows(page).filter({ hasText: 'No key' }).filter({ hasText: 'missing or invalid key' })
    await group.waitFor()
    const { denials } = (
      await busy.owner.get(`/v1/projects/${busy.project}/denials/filter?reason=invalid_key`)
    ).body as { denials: { count: number }[] }
    const count = denials.reduce((sum, denial) => sum + denial.count, 0)
    await group.getByRole('cell', { name: String(count), exact: true }).waitFor()
    await expect.poll(() => page.getByText('reset the device').count()).toBe(0)
    await rows(page).filter({ hasText: 'different device' }).first().getByRole('button').click()
    const drawer = page.getByRole('dialog', { name: 'Different device' })
    await drawer.getByText('1f0a…9c2e').first().waitFor()
    await drawer.getByText('open their page and reset the device').waitFor()
    await drawer.getByRole('button', { name: 'Next run' }).click()
    await page.getByRole('dialog', { name: 'Key expired' }).getByText('How to fix it').waitFor()
    await page.keyboard.press('k')
    await drawer.getByRole('link', { name: 'Open user' }).click()
    await page.waitForURL(/users\?user=/)
  })

  it('are a view of the log, and switching views keeps the script', async () => {
    const page = await open(`/denials?script_id=${busy.scripts[1]}`)
    await rows(page).first().waitFor()
    await expect.poll(() => rows(page).filter({ hasText: 'Garden hub' }).count()).toBe(0)
    const views = page.getByRole('navigation', { name: 'Views' })
    expect(await views.getByRole('link', { name: 'Denials' }).getAttribute('aria-current')).toBe('page')
    await views.getByRole('link', { name: 'Crashes' }).click()
    await page.waitForURL(/logs\?outcome=crashed&script_id=/)
    await page.getByRole('button', { name: 'Script: Auto farm' }).waitFor()
  })

  it.each([900, 1280])('keep the table header visible in a window of %d px', async (width) => {
    const page = await open('/denials', { look: { viewport: { width, height: 700 } } })
    await rows(page).nth(3).waitFor()
    const head = page.getByRole('columnheader', { name: 'Reason' })
    // The bar above the page also stays in view. Scrolling can load more rows, which makes the page longer.
    const isBelowBar = async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight * 0.7)')
      const top = (await page.locator('header').first().boundingBox())?.height ?? 0
      const y = (await head.boundingBox())?.y ?? -1
      return y >= top - 1 && y < top + 3
    }
    await expect.poll(isBelowBar).toBe(true)
  })

  it('can be filtered by what they have in common', async () => {
    const page = await open('/denials')
    const common = panel(page, 'Top causes')
    await common.getByRole('tab', { name: 'Executor' }).click()
    await common.getByRole('button', { name: 'Orchard' }).click()
    await page.waitForURL(/executor=Orchard/)
    await common.getByRole('tab', { name: 'Script' }).click()
    await common.getByRole('button', { name: 'Auto farm' }).click()
    await page.waitForURL(/script_id=/)
    await expect.poll(() => rows(page).first().textContent()).toContain('Auto farm')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.waitForURL(/denials$/)
  })

  it('are exported as filtered', async () => {
    const page = await open('/denials?reason=invalid_key')
    await rows(page).first().waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const lines = readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\r\n')
    const filtered = '/denials/filter?reason=invalid_key&limit=1000'
    const { denials } = (await busy.owner.get(`/v1/projects/${busy.project}${filtered}`)).body
    expect(lines.length - 1).toBe((denials as unknown[]).length)
    expect(lines.slice(1).every((line) => line.includes(',invalid_key,'))).toBe(true)
    await page.getByText(/^\d+ denials? exported\.$/).waitFor()
  })

  it('name executors that cannot be device-locked, and show their denials', async () => {
    const page = await open('/denials')
    await panel(page, "Executors that can't be device-locked").getByRole('button', { name: 'Wave' }).click()
    await page.waitForURL(/reason=fingerprint_missing/)
    await rows(page).first().waitFor()
  })

  it('show a message for a filter without matches and for an unknown reason', async () => {
    const page = await open(`/denials?executor=${encodeURIComponent('🐸 مرحبا')}`)
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    await page.goto(addressOf('/denials?reason=tired&period=never'))
    await page.reload()
    await rows(page).first().waitFor()
  })

  it('distinguish a key that is too long from one without denials, and can retry', async () => {
    const page = await open(`/denials?user_key=${'k'.repeat(600)}`)
    await page.getByRole('alert').first().waitFor()
    await page.getByRole('button', { name: 'Try again' }).first().waitFor()
  })
})
