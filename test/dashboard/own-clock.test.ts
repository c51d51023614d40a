/** A key's own clock in a real browser: set in the form of the key, and replaced by the plan's. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner } from '../../packages/server/test/nouns.ts'
import { sharedStage } from './stage.ts'
import { createPlan, DAY_MS, dialog, open as openUsers, read, sell, submit } from './users-steps.ts'

const stage = sharedStage()

const label = (page: Page, name: string) => dialog(page).getByLabel(name, { exact: true })

describe("a key's own clock", () => {
  it("can be set, is replaced by the plan's, and cannot be combined with an expiry date", async () => {
    const owned = await createOwner(stage.server)
    const clock = { basis: 'first_use', duration: 30 * DAY_MS }
    const plan = await createPlan(owned, { name: 'Month', clock })
    const key = await sell(owned, { note: 'buyer', plan_id: plan })
    const page = await openUsers(stage, owned, { query: `?user=${key}` })
    await label(page, 'Duration').selectOption('Starts on first use (this key only)')
    await label(page, 'Length').fill('0')
    await submit(page, 'Save')
    await dialog(page).getByRole('alert').getByText('Enter a duration greater than 0').waitFor()
    await label(page, 'Length').fill('7')
    await submit(page, 'Save')
    await dialog(page).getByText('7 days from first use (this key only)').waitFor()
    expect(await read(owned, key)).toMatchObject({
      ...{ has_own_clock: true, status: 'not_started' },
      clock: { basis: 'first_use', duration: 7 * DAY_MS },
    })
    await label(page, 'Duration').selectOption('Starts now (this key only)')
    await label(page, 'Expires').selectOption('in')
    await submit(page, 'Save')
    await dialog(page).getByText('Set either an expiry date or a duration, not both.').waitFor()
    await label(page, 'Expires').selectOption('never')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).key_expires).toBeGreaterThan(0)
    await page.reload()
    await expect.poll(() => label(page, 'Length').inputValue()).toBe('7')
    await label(page, 'Duration').selectOption('Plan default')
    await submit(page, 'Save')
    await expect.poll(() => read(owned, key)).toMatchObject({ has_own_clock: false, clock })
  })

  it("replaces a manual expiry, and can be replaced by the plan's clock", async () => {
    const owned = await createOwner(stage.server)
    const plan = await createPlan(owned, {
      name: 'Month',
      clock: { basis: 'creation', duration: 30 * DAY_MS },
    })
    const key_expires = stage.server.clock.now + 5 * DAY_MS
    const key = await sell(owned, { note: 'buyer', plan_id: plan, key_expires })
    const page = await openUsers(stage, owned, { query: `?user=${key}` })
    await dialog(page).getByText('Manual expiry date').first().waitFor({ state: 'attached' })
    await expect.poll(() => label(page, 'Duration').inputValue()).toBe('none')
    await label(page, 'Duration').selectOption('Plan default')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).clock).toMatchObject({ basis: 'creation' })
    const free = await sell(owned, { note: 'free' })
    const other = await openUsers(stage, owned, { query: `?user=${free}` })
    await label(other, 'Duration').selectOption('Starts on first use (this key only)')
    await label(other, 'Length').fill('')
    await submit(other, 'Save')
    await expect
      .poll(async () => (await read(owned, free)).clock)
      .toEqual({ basis: 'first_use', duration: null })
  })
})
