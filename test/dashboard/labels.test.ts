/**
 * Tests tags, metadata and key delivery in a real browser: setting them, searching for them, and the
 * rejection of invalid values.
 */
import { describe, expect, it } from 'vitest'
import { sharedStage } from './stage.ts'
import { button, DAY_MS, dialog, open, read, row, submit, withUsers } from './users-steps.ts'

const stage = sharedStage()

const label = (page: Awaited<ReturnType<typeof open>>, name: string) =>
  dialog(page).getByLabel(name, { exact: true })

describe('tags and metadata', () => {
  it('can be set in the form of a user, shown in the list, and found by a filter', async () => {
    const owned = await withUsers(stage, 'buyer', 'another')
    const page = await open(stage, owned, { query: `?user=${owned.keys[0]}&tab=edit` })
    await dialog(page).getByText('Advanced').click()
    await label(page, 'Tags').fill('vip, autumn, vip')
    await label(page, 'Handed out to').fill('grace')
    await label(page, 'Metadata').fill('{"order": 1001}')
    await submit(page, 'Save')
    await dialog(page).getByText('Saved.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({
      ...{ tags: ['vip', 'autumn'], issued_to: 'grace', metadata: { order: 1001 } },
    })
    await submit(page, 'Close')
    await row(page, 'buyer').getByText('autumn', { exact: true }).waitFor()
    await button(page, '+ Tag').click()
    await page.getByRole('textbox', { name: 'Tag' }).fill('vip')
    await page.keyboard.press('Enter')
    await expect.poll(() => row(page, 'another').count()).toBe(0)
    await row(page, 'buyer').waitFor()
  })

  it('show errors next to the field, and keep the input', async () => {
    const owned = await withUsers(stage, 'buyer')
    const page = await open(stage, owned, { query: `?user=${owned.keys[0]}&tab=edit` })
    await dialog(page).getByText('Advanced').click()
    await label(page, 'Tags').fill('x'.repeat(41))
    await label(page, 'Metadata').fill('[1]')
    await submit(page, 'Save')
    await dialog(page).getByText('Enter at most 32 tags of at most 40 characters each.').waitFor()
    await dialog(page)
      .getByText(/Enter a JSON object/)
      .waitFor()
    await expect.poll(() => label(page, 'Metadata').inputValue()).toBe('[1]')
    expect(await read(owned, owned.keys[0])).toMatchObject({ tags: [], metadata: {} })
  })

  it('apply to all keys generated together', async () => {
    const owned = await withUsers(stage)
    const page = await open(stage, owned, { query: '?new=keys' })
    await label(page, 'Number of keys').fill('3')
    await label(page, 'Tags').fill('spring sale')
    await submit(page, 'Generate')
    await page.getByRole('heading', { name: '3 keys generated' }).waitFor()
    const { body } = await owned.owner.get(`/v1/projects/${owned.project}/users/filter?tag=spring+sale`)
    expect(body.users).toHaveLength(3)
  })
})

describe('all users who match the filters', () => {
  it('can be tagged and moved to a plan in one call, and this can be undone', async () => {
    const owned = await withUsers(stage, 'sale', 'other')
    const plan = await owned.owner.post(`/v1/projects/${owned.project}/plans/new`, { name: 'Pro' })
    const page = await open(stage, owned, { query: '?note=sale' })
    await expect.poll(() => page.getByText('other').count()).toBe(0)
    const change = async (what: string) => {
      await button(page, 'Bulk actions').click()
      await page.getByRole('menuitem', { name: /^Edit all .*matching users…$/ }).click()
      await dialog(page).getByLabel('Action').selectOption(what)
    }
    await change('tag')
    await label(page, 'Tags').fill('autumn')
    await dialog(page).getByText('1 user will be changed.').waitFor()
    await submit(page, 'Tag')
    await page.getByText('1 user tagged.').waitFor()
    await row(page, 'sale').getByText('autumn', { exact: true }).waitFor()
    await button(page, 'Undo').click()
    await page.getByText('Undone.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ tags: [] })
    await change('plan')
    await label(page, 'Plan').selectOption('Pro · Never expires')
    await dialog(page).getByText('1 user will be changed.').waitFor()
    await submit(page, 'Change plan')
    await page.getByText('Plan changed for 1 user.').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ plan_id: plan.string('plan_id') })
    expect(await read(owned, owned.keys[1])).toMatchObject({ plan_id: null })
  })

  it('can be blocked for a set time', async () => {
    const owned = await withUsers(stage, 'sale', 'other')
    const page = await open(stage, owned, { query: '?note=sale' })
    await expect.poll(() => page.getByText('other').count()).toBe(0)
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: /^Edit all .*matching users…$/ }).click()
    await dialog(page).getByLabel('Action').selectOption('blacklist')
    await dialog(page).getByRole('combobox', { name: 'Block ends' }).selectOption('in')
    await dialog(page).getByText('1 user will be changed.').waitFor()
    await submit(page, 'Block')
    await page.getByText('1 user blocked.').waitFor()
    const { blacklisted, blacklist_expires } = await read(owned, owned.keys[0])
    expect(blacklisted).toBe(true)
    expect(blacklist_expires).toBeGreaterThan(Date.now() + 29 * DAY_MS)
    expect(await read(owned, owned.keys[1])).toMatchObject({ blacklisted: false })
  })
})

describe('a key', () => {
  it('can be marked as handed out and unmarked', async () => {
    const owned = await withUsers(stage, 'for the shop')
    const page = await open(stage, owned)
    await row(page, 'for the shop')
      .getByRole('button', { name: /Actions/ })
      .click()
    await page.getByRole('menuitem', { name: 'Mark as handed out' }).click()
    await dialog(page).getByLabel('Handed out to').fill('Main Street')
    await submit(page, 'Mark as handed out')
    await page.getByText('1 key marked as handed out.').waitFor()
    await row(page, 'for the shop').getByText('Handed out').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ status: 'issued', issued_to: 'Main Street' })
    await button(page, 'Undo').click()
    await row(page, 'for the shop').getByText('Unused').waitFor()
    expect(await read(owned, owned.keys[0])).toMatchObject({ issued_to: null, issued_at: null })
  })
})
