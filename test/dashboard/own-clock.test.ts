/**
 * Tests the ways to set a key's validity in its form: forever, until a date, for a custom duration, or as
 * defined by its plan.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeUser, createOwner } from '../../packages/server/test/nouns.ts'
import { sharedStage } from './stage.ts'
import { button, createPlan, DAY_MS, dialog, open as openUsers, read, sell, submit } from './users-steps.ts'

const stage = sharedStage()

const label = (page: Page, name: string) => dialog(page).getByLabel(name, { exact: true })
const choose = (page: Page, name: string) =>
  dialog(page)
    .locator('label', { hasText: name })
    .filter({ has: page.getByRole('radio') })
    .click()
const openForm = (owned: Parameters<typeof read>[0], key: string) =>
  openUsers(stage, owned, { query: `?user=${key}&tab=edit` })

describe('the duration of a key', () => {
  it("can be its own, and is replaced by the plan's", async () => {
    const owned = await createOwner(stage.server)
    const clock = { basis: 'first_use', duration: 30 * DAY_MS }
    const plan = await createPlan(owned, { name: 'Month', clock })
    const key = await sell(owned, { note: 'buyer', plan_id: plan })
    const page = await openForm(owned, key)
    await dialog(page).getByText('Follows the plan: 30 days from first run.').waitFor()
    await choose(page, 'From first run')
    await label(page, 'Length').fill('0')
    await submit(page, 'Save')
    await dialog(page).getByRole('alert').getByText('Enter a duration greater than 0').waitFor()
    await label(page, 'Length').fill('7')
    await dialog(page).getByText('Ends 7 days after the first run.').waitFor()
    await submit(page, 'Save')
    await dialog(page)
      .getByText(/^Saved\./)
      .waitFor()
    expect(await read(owned, key)).toMatchObject({
      ...{ has_own_clock: true, status: 'not_started' },
      clock: { basis: 'first_use', duration: 7 * DAY_MS },
    })
    await label(page, 'Counted from').selectOption('from creation')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).key_expires).toBeGreaterThan(0)
    await page.reload()
    await expect.poll(() => label(page, 'Length').inputValue()).toBe('7')
    await choose(page, 'Plan default')
    await submit(page, 'Save')
    await expect.poll(() => read(owned, key)).toMatchObject({ has_own_clock: false, clock })
  })

  it("can be a date, which the plan's clock or an unlimited duration replaces", async () => {
    const owned = await createOwner(stage.server)
    const plan = await createPlan(owned, {
      name: 'Month',
      clock: { basis: 'creation', duration: 30 * DAY_MS },
    })
    const key_expires = stage.server.clock.now + 5 * DAY_MS
    const key = await sell(owned, { note: 'buyer', plan_id: plan, key_expires })
    const page = await openForm(owned, key)
    await expect.poll(() => dialog(page).getByRole('radio', { name: 'Until a date' }).isChecked()).toBe(true)
    await choose(page, 'Plan default')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).clock).toMatchObject({ basis: 'creation' })
    const free = await sell(owned, { note: 'free' })
    const other = await openForm(owned, free)
    await expect.poll(() => dialog(other).getByRole('radio').count()).toBe(3)
    await choose(other, 'From first run')
    await label(other, 'Length').fill('')
    await dialog(other).getByText('Never expires.').waitFor()
    await submit(other, 'Save')
    await expect
      .poll(async () => (await read(owned, free)).clock)
      .toEqual({ basis: 'first_use', duration: null })
  })

  it('is extended by days with one click, shows by how much, and can become a lifetime', async () => {
    const owned = await createOwner(stage.server)
    const key = await sell(owned, { note: 'buyer' })
    const minute = 60_000
    const end = Math.floor((stage.server.clock.now + 12 * DAY_MS) / minute) * minute
    await changeUser(stage.server, key, { key_expires: end })
    const page = await openForm(owned, key)
    await button(page, '+7 days').click()
    await dialog(page).getByText('7 days later than before', { exact: true }).waitFor()
    await dialog(page).getByText('1 unsaved change').waitFor()
    await dialog(page).getByText('Duration: 7 days later than before').waitFor()
    await submit(page, 'Save')
    await dialog(page)
      .getByText(/^Saved\./)
      .waitFor()
    const later = Number((await read(owned, key)).key_expires) - end
    expect(Math.abs(later - 7 * DAY_MS)).toBeLessThanOrEqual(DAY_MS / 24)
    await expect.poll(() => dialog(page).getByText('unsaved change').count()).toBe(0)
    await choose(page, 'Lifetime')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).key_expires).toBeNull()
  })
})
