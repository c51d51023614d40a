/** The clock of a key alone in a real browser: set in the form of the key, and given up for that of the plan. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner } from '../../packages/server/test/nouns.ts'
import { sharedStage } from './stage.ts'
import { createPlan, DAY_MS, dialog, open as openUsers, read, sell, submit } from './users-steps.ts'

const stage = sharedStage()

const label = (page: Page, name: string) => dialog(page).getByLabel(name, { exact: true })

describe('a clock of a key alone', () => {
  it('is set and taken away again for that of the plan, and not together with an end', async () => {
    const owned = await createOwner(stage.server)
    const clock = { basis: 'first_use', duration: 30 * DAY_MS }
    const plan = await createPlan(owned, { name: 'Month', clock })
    const key = await sell(owned, { note: 'buyer', plan_id: plan })
    const page = await openUsers(stage, owned, { query: `?user=${key}` })
    await label(page, 'Validity').selectOption('From its first use, this key alone')
    await label(page, 'Duration').fill('0')
    await submit(page, 'Save')
    await dialog(page).getByRole('alert').getByText('Give a number above 0').waitFor()
    await label(page, 'Duration').fill('7')
    await submit(page, 'Save')
    await dialog(page).getByText('7 days from first use, for this key alone').waitFor()
    expect(await read(owned, key)).toMatchObject({
      ...{ has_own_clock: true, status: 'not_started' },
      clock: { basis: 'first_use', duration: 7 * DAY_MS },
    })
    await label(page, 'Validity').selectOption('From now on, this key alone')
    await label(page, 'Expires').selectOption('in')
    await submit(page, 'Save')
    await dialog(page).getByText('Set an end or a validity, not both at once.').waitFor()
    await label(page, 'Expires').selectOption('never')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).key_expires).toBeGreaterThan(0)
    await page.reload()
    await expect.poll(() => label(page, 'Duration').inputValue()).toBe('7')
    await label(page, 'Validity').selectOption('As the plan says')
    await submit(page, 'Save')
    await expect.poll(() => read(owned, key)).toMatchObject({ has_own_clock: false, clock })
  })

  it('stands in place of an end that was set by hand, and the plan gets it back', async () => {
    const owned = await createOwner(stage.server)
    const plan = await createPlan(owned, {
      name: 'Month',
      clock: { basis: 'creation', duration: 30 * DAY_MS },
    })
    const key_expires = stage.server.clock.now + 5 * DAY_MS
    const key = await sell(owned, { note: 'buyer', plan_id: plan, key_expires })
    const page = await openUsers(stage, owned, { query: `?user=${key}` })
    await dialog(page).getByText('Its end was set by hand').first().waitFor({ state: 'attached' })
    await expect.poll(() => label(page, 'Validity').inputValue()).toBe('none')
    await label(page, 'Validity').selectOption('As the plan says')
    await submit(page, 'Save')
    await expect.poll(async () => (await read(owned, key)).clock).toMatchObject({ basis: 'creation' })
    const free = await sell(owned, { note: 'free' })
    const other = await openUsers(stage, owned, { query: `?user=${free}` })
    await label(other, 'Validity').selectOption('From its first use, this key alone')
    await label(other, 'Duration').fill('')
    await submit(other, 'Save')
    await expect
      .poll(async () => (await read(owned, free)).clock)
      .toEqual({ basis: 'first_use', duration: null })
  })
})
