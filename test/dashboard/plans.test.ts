/**
 * Tests the plans page in a real browser: plans are created, sold, edited and removed; keys are paused and
 * resumed.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner, createScript, type Owned } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'
import {
  button,
  choose,
  createPlan,
  DAY_MS,
  dialog,
  open as openUsers,
  read,
  row,
  sell,
  submit,
} from './users-steps.ts'

const HOUR_MS = DAY_MS / 24
const stage = sharedStage()

type As = { readonly seat?: Seat; readonly query?: string }

async function open({ owner, project }: Owned, { seat, query = '' }: As = {}): Promise<Page> {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owner.id, seat)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/plans${query}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

async function plansOf({ owner, project }: Owned) {
  return (await owner.get(`/v1/projects/${project}/plans`)).body.plans as Record<string, unknown>[]
}

const label = (page: Page, name: string) => dialog(page).getByLabel(name, { exact: true })

describe('a plan', () => {
  it('can be created with every setting', async () => {
    const owned = await createOwner(stage.server)
    const script = await createScript(owned.owner, owned.project, { name: 'main.lua' })
    const page = await open(owned)
    await page.getByText('No plans yet').waitFor()
    await button(page, 'New plan').click()
    await label(page, 'Name').fill('Pro')
    await label(page, 'Length').fill('7')
    await label(page, 'Concurrent runs').fill('2')
    await dialog(page).getByText('7 days from first run, 1 device, 2 concurrent runs.').waitFor()
    await dialog(page).getByText('Advanced').click()
    await label(page, 'Grace period').fill('1')
    await label(page, 'Quota').fill('100')
    await label(page, 'Only selected scripts').check()
    await label(page, 'main.lua').check()
    await submit(page, 'Add feature')
    await label(page, 'Feature').fill('slots')
    await label(page, 'Type').selectOption('number')
    await label(page, 'Value').fill('3,5')
    await submit(page, 'Create plan')
    await page.getByText('Plan created.').waitFor()
    await page.getByText('7 days from first run').waitFor()
    for (const fact of [
      '0 users',
      'grace period of 1 day',
      '2 concurrent runs',
      '100 runs/day',
      '1 script',
      'slots: 3.5',
    ])
      await page.getByText(fact, { exact: true }).first().waitFor()
    expect(await plansOf(owned)).toMatchObject([
      {
        name: 'Pro',
        clock: { basis: 'first_use', duration: 7 * DAY_MS },
        grace: DAY_MS,
        max_instances: 2,
        max_executions: null,
        quota: { count: 100, period: 'day' },
        scripts: [script],
        features: { slots: 3.5 },
      },
    ])
  })

  it('shows errors next to the field, and keeps the input', async () => {
    const owned = await createOwner(stage.server)
    await createPlan(owned, { name: 'Basic' })
    const page = await open(owned, { query: '?new=plan' })
    await label(page, 'Length').fill('0')
    await label(page, 'Concurrent runs').fill('many')
    await label(page, 'Only selected scripts').check()
    for (const [at, name] of ['Turbo mode', 'slots', 'slots'].entries()) {
      await submit(page, 'Add feature')
      await dialog(page).getByLabel('Feature', { exact: true }).nth(at).fill(name)
    }
    await submit(page, 'Create plan')
    const faults = [
      'Enter a name of up to 100 characters.',
      'Enter a duration greater than 0, up to 100 years.',
      'Enter a whole number greater than 0, or leave empty.',
      'Select at least one script.',
      'Start with a lowercase letter',
      'Another feature already has this name.',
    ]
    for (const words of faults) await dialog(page).getByRole('alert').getByText(words).waitFor()
    await expect.poll(() => label(page, 'Concurrent runs').inputValue()).toBe('many')
    await label(page, 'Name').fill('Basic')
    await label(page, 'Length').fill('1')
    await label(page, 'Concurrent runs').fill('')
    await label(page, 'All scripts in this project').check()
    await submit(page, 'Remove feature Turbo mode')
    for (const _ of ['slots', 'slots'])
      await dialog(page).getByRole('button', { name: 'Remove feature slots' }).first().click()
    await submit(page, 'Create plan')
    await dialog(page).getByText('Another plan in this project has this name.').waitFor()
    expect(await plansOf(owned)).toHaveLength(1)
  })

  it('moves the expiry of its keys when its duration changes, after a warning', async () => {
    const owned = await createOwner(stage.server)
    const plan = await createPlan(owned, {
      name: 'Month',
      clock: { basis: 'creation', duration: 30 * DAY_MS },
    })
    const key = await sell(owned, { plan_id: plan })
    const { key_expires } = await read(owned, key)
    const page = await open(owned)
    await button(page, 'Edit Month').click()
    await label(page, 'Length').fill('40')
    await dialog(page).getByText('Saving changes the expiry of 1 key,').waitFor()
    await submit(page, 'Save')
    await page.getByText('Plan saved.').waitFor()
    await page.getByText('40 days from creation').waitFor()
    expect(await read(owned, key)).toMatchObject({ key_expires: Number(key_expires) + 10 * DAY_MS })
  })

  it('can keep the version that was live at expiry, also after a reload', async () => {
    const owned = await createOwner(stage.server)
    await createPlan(owned, { name: 'Updates', clock: { basis: 'creation', duration: 30 * DAY_MS } })
    const page = await open(owned)
    await button(page, 'Edit Updates').click()
    await dialog(page).getByText('Advanced').click()
    await expect.poll(() => label(page, 'After expiry').inputValue()).toBe('deny')
    await label(page, 'After expiry').selectOption('Keep version')
    await submit(page, 'Save')
    await page.getByText('Plan saved.').waitFor()
    expect(await plansOf(owned)).toMatchObject([{ after_expiry: 'keep_version' }])
    await page.reload()
    await button(page, 'Edit Updates').click()
    await expect.poll(() => label(page, 'After expiry').inputValue()).toBe('keep_version')
  })

  it('is removed, and its users move to another plan', async () => {
    const owned = await createOwner(stage.server)
    const old = await createPlan(owned, { name: 'Old' })
    const key = await sell(owned, { plan_id: old })
    const page = await open(owned)
    await button(page, 'Remove Old?').click()
    await dialog(page).getByText('there is no other plan to move them to').waitFor()
    await submit(page, 'Cancel')
    const next = await createPlan(owned, { name: 'Next' })
    await page.reload()
    await button(page, 'Remove Old?').click()
    await submit(page, 'Remove')
    await dialog(page).getByText('Select a plan to move them to.').waitFor()
    await label(page, 'Move its 1 user to').selectOption('Next')
    await submit(page, 'Remove')
    await page.getByText('Plan removed.').waitFor()
    expect(await plansOf(owned)).toMatchObject([{ name: 'Next', users: 1 }])
    expect(await read(owned, key)).toMatchObject({ plan_id: next })
    await page.getByRole('link', { name: '1 user on Next' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await expect.poll(() => page.url()).toContain(`plan_id=${next}`)
  })

  it('is read-only for users without write permission', async () => {
    const owned = await createOwner(stage.server)
    await createPlan(owned, { name: 'Basic' })
    const seat: Seat = { role: 'custom', scopes: ['projects:read', 'users:read'] }
    const page = await open(owned, { seat })
    await page.getByText('Never expires').waitFor()
    await button(page, 'New plan').hover()
    await page.getByRole('tooltip').filter({ hasText: 'projects:write' }).first().waitFor()
    await button(page, 'New plan').click({ force: true })
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  })
})

describe('a key', () => {
  it("can be sold with a plan, found by it, and shows the plan's terms in its drawer", async () => {
    const owned = await createOwner(stage.server)
    const plan = await createPlan(owned, {
      name: 'Pro',
      clock: { basis: 'first_use', duration: 30 * DAY_MS },
      quota: { count: 10, period: 'day' },
      features: { turbo: true, slots: 3 },
    })
    await sell(owned, { note: 'another' })
    const page = await openUsers(stage, owned, { query: '?new=key' })
    await label(page, 'Note').fill('buyer')
    await label(page, 'Plan').selectOption('Pro · 30 days from first run')
    await dialog(page).getByText('Plan default').waitFor({ state: 'attached' })
    await submit(page, 'Create key')
    await page.getByRole('heading', { name: 'Key created' }).waitFor()
    await dialog(page).getByText('Expires 30 days from first run.').waitFor()
    await submit(page, 'Done')
    await button(page, '+ Plan').click()
    await page.getByRole('combobox', { name: 'Plan' }).selectOption('Pro')
    await expect.poll(() => row(page, 'another').count()).toBe(0)
    await row(page, 'buyer').getByText('Not started').waitFor()
    await expect.poll(() => page.url()).toContain(`plan_id=${plan}`)
    await row(page, 'buyer').getByRole('button').first().click()
    await dialog(page).getByText('More details').click()
    for (const fact of ['30 days from first run', 'turbo (from plan)', 'slots: 3 (from plan)'])
      await dialog(page).getByText(fact, { exact: true }).first().waitFor()
    await dialog(page).getByText('0 of 10 runs/day used, resets').waitFor()
  })

  it("has its own features, which override the plan's, and an edit lists its effects", async () => {
    const owned = await createOwner(stage.server)
    const plan = await createPlan(owned, { name: 'Basic', features: { turbo: true, slots: 3 } })
    await createPlan(owned, { name: 'Pro', max_instances: 2, features: { slots: 9 } })
    const key = await sell(owned, { note: 'buyer', plan_id: plan })
    const page = await openUsers(stage, owned, { query: `?user=${key}&tab=edit` })
    await dialog(page).getByText('More details').click()
    await dialog(page).getByText('Advanced').click()
    for (const [at, name] of ['turbo', 'slots'].entries()) {
      await submit(page, 'Add feature')
      await dialog(page).getByLabel('Feature', { exact: true }).nth(at).fill(name)
    }
    await dialog(page).getByLabel('Type').nth(0).selectOption('none')
    await dialog(page).getByLabel('Type').nth(1).selectOption('number')
    await label(page, 'Value').fill('five')
    await submit(page, 'Save')
    await dialog(page).getByRole('alert').getByText('Enter a number.').waitFor()
    await label(page, 'Value').fill('5')
    await submit(page, 'Save')
    await dialog(page).getByText('Saved. Features: turbo, slots: 3 → slots: 5').waitFor()
    await dialog(page).getByText('slots: 5 (this key only, overrides slots: 3 from plan)').waitFor()
    await dialog(page).getByText('turbo: removed for this key').waitFor()
    await label(page, 'Plan').selectOption('Pro · Never expires')
    await submit(page, 'Save')
    await dialog(page).getByText('Saved. Plan: Basic → Pro · Concurrent runs: none → 2').waitFor()
    await label(page, 'Starts').selectOption('in')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).status).toBe('not_started')
    expect(await read(owned, key)).toMatchObject({ plan: 'Pro', own_features: { turbo: null, slots: 5 } })
  })
})

describe('selected keys', () => {
  it('keep their remaining time when paused and resumed', async () => {
    // The browser uses this machine's time.
    stage.server.clock.now = Date.now()
    const owned = await createOwner(stage.server)
    const key_expires = stage.server.clock.now + 5 * DAY_MS
    const key = await sell(owned, { note: 'away', key_expires })
    await sell(owned, { note: 'ended', key_expires: stage.server.clock.now - 1 })
    const page = await openUsers(stage, owned)
    await choose(page, 'away', 'ended')
    await button(page, 'Pause').click()
    await dialog(page).getByText('1 user will be skipped: expired.').waitFor()
    await submit(page, 'Pause')
    await page.getByText('1 key paused.').waitFor()
    await row(page, 'away').getByText('Paused').waitFor()
    await row(page, 'away').getByRole('button').first().click()
    await dialog(page).getByText('5 days left when you resume it.').waitFor()
    await submit(page, 'Close')
    stage.server.clock.now += HOUR_MS
    await button(page, 'Resume').click()
    await dialog(page).getByText('1 user will be skipped: not paused.').waitFor()
    await submit(page, 'Resume')
    await page.getByText('1 key resumed.').waitFor()
    expect(await read(owned, key)).toMatchObject({ paused: null, key_expires: key_expires + HOUR_MS })
  })

  it("keep the plan's clock when extended, and undo restores them", async () => {
    const owned = await createOwner(stage.server)
    const plan = await createPlan(owned, { name: 'Week', clock: { basis: 'creation', duration: 7 * DAY_MS } })
    const month = { basis: 'first_use', duration: 30 * DAY_MS }
    const key = await sell(owned, { note: 'sold', plan_id: plan })
    const waiting = await sell(owned, { note: 'waiting', clock: month })
    const before = [await read(owned, key), await read(owned, waiting)]
    const { key_expires } = await read(owned, key)
    const page = await openUsers(stage, owned)
    const extend = async () => {
      await button(page, 'Extend').click()
      await expect.poll(() => dialog(page).getByText("This can't be undone.").count()).toBe(0)
      await dialog(page).getByLabel('Amount of time').fill('3')
      await submit(page, 'Extend')
      await row(page, 'waiting').getByText('33 days from first run').waitFor()
    }
    await choose(page, 'sold', 'waiting')
    await extend()
    await page.getByText('2 keys extended.').waitFor()
    expect(await read(owned, waiting)).toMatchObject({ clock: month, clock_extra: 3 * DAY_MS })
    await button(page, 'Undo').click()
    await row(page, 'waiting').getByText('30 days from first run').waitFor()
    expect([await read(owned, key), await read(owned, waiting)]).toEqual(before)
    await choose(page, 'sold', 'waiting')
    await extend()
    await row(page, 'waiting').getByRole('button').first().click()
    await dialog(page).getByText('More details').click()
    await dialog(page).getByText('30 days from first run (this key only); 3 days added').waitFor()
    await owned.owner.post(`/v1/plans/${plan}/edit`, { clock: { basis: 'creation', duration: 8 * DAY_MS } })
    expect(await read(owned, key)).toMatchObject({ key_expires: Number(key_expires) + 4 * DAY_MS })
  })
})
