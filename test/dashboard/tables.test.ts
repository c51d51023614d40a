/**
 * Tests the table of users in a real browser: sorting, the keyboard, saved views, density, and two-line rows
 * on phones.
 */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner, createUser } from '../../packages/server/test/nouns.ts'
import { sharedStage } from './stage.ts'
import { button, DAY_MS, dialog, hash, open, row, submit, withUsers } from './users-steps.ts'

const stage = sharedStage()
const rows = (page: Page) => page.locator('tbody tr[data-index]')
const names = (page: Page) => rows(page).locator('[data-open] [dir="auto"]').allTextContents()
const cursor = (page: Page) => page.locator('tr[data-cursor] [data-open] [dir="auto"]').textContent()
const ticked = (page: Page) => page.locator('tbody input:checked').count()

describe('a table', () => {
  it('is sorted by a click on a heading, reversed by the second, and restored to the default order by the third', async () => {
    const owned = await withUsers(stage, 'bea', 'Ada', 'zoe')
    const page = await open(stage, owned)
    await row(page, 'zoe').waitFor()
    const heading = page.getByRole('columnheader', { name: 'Customer' })
    expect(await heading.getAttribute('aria-sort')).toBe('none')
    await button(page, 'Customer').click()
    await expect.poll(() => names(page)).toEqual(['Ada', 'bea', 'zoe'])
    expect(await heading.getAttribute('aria-sort')).toBe('ascending')
    await button(page, 'Customer').click()
    await expect.poll(() => names(page)).toEqual(['zoe', 'bea', 'Ada'])
    expect(await heading.getAttribute('aria-sort')).toBe('descending')
    await page.reload()
    await expect.poll(() => names(page)).toEqual(['zoe', 'bea', 'Ada'])
    await button(page, 'Customer').click()
    await expect.poll(() => hash(page)).not.toContain('sort=')
    await expect.poll(() => names(page)).toEqual(['zoe', 'Ada', 'bea'])
  })

  it('can be used with the keyboard: j, k, x, Shift+X, Enter and Escape', async () => {
    const owned = await withUsers(stage, 'd jx', 'c jx', 'b jx', 'a jx')
    const page = await open(stage, owned)
    await row(page, 'a jx').waitFor()
    await page.keyboard.press('j')
    await expect.poll(() => cursor(page)).toBe('a jx')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await expect.poll(() => ticked(page)).toBe(1)
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+X')
    await expect.poll(() => ticked(page)).toBe(3)
    await page.keyboard.press('k')
    await expect.poll(() => cursor(page)).toBe('c jx')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(owned.keys[1] ?? ''))
    await page.locator('dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
    // All rows match, so they stay when the list is filtered.
    await page.getByRole('searchbox').pressSequentially('jx')
    await expect.poll(() => hash(page)).toContain('search=jx')
    expect(await ticked(page)).toBe(3)
  })

  it('selects all rows between two ticks with Shift', async () => {
    const owned = await withUsers(stage, 'd', 'c', 'b', 'a')
    const page = await open(stage, owned)
    await row(page, 'a').getByRole('checkbox').click()
    await row(page, 'c')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').first().waitFor()
    await row(page, 'b').getByRole('checkbox').click()
    await row(page, 'a')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByText('1 selected').first().waitFor()
  })

  it('keeps its density', async () => {
    const owned = await withUsers(stage, 'one', 'two')
    const page = await open(stage, owned)
    const height = async () => (await rows(page).first().boundingBox())?.height ?? 0
    await row(page, 'one').waitFor()
    expect(await height()).toBeGreaterThan(44)
    await button(page, 'Columns').click()
    await page.getByRole('menuitemcheckbox', { name: 'Compact rows' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(height).toBeLessThan(40)
    await page.reload()
    await expect.poll(height).toBeLessThan(40)
    await expect.poll(height).toBeGreaterThan(0)
  })

  it('has two-line rows and collapsed filters on phones', async () => {
    const owned = await withUsers(stage, 'n'.repeat(200), 'مشتري 🌱')
    const page = await open(stage, owned, { look: { viewport: { width: 360, height: 740 } } })
    await expect.poll(() => rows(page).count()).toBe(2)
    for (const each of await rows(page).all()) expect((await each.boundingBox())?.height).toBeLessThan(60)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360)
    expect(await button(page, '+ Tag').isVisible()).toBe(false)
    await button(page, 'Filters').click()
    await button(page, '+ Tag').waitFor()
  })
})

describe('a saved view', () => {
  it('keeps filters, order and columns for this user, and can be renamed and removed', async () => {
    const owned = await withUsers(stage, 'soon', 'later')
    const page = await open(stage, owned, { query: '?status=unused&sort=note&order=desc' })
    await button(page, 'Save view').click()
    await dialog(page).getByLabel('Name', { exact: true }).fill(' ')
    await submit(page, 'Save')
    await dialog(page).getByText('Enter a name of up to 60 characters.').waitFor()
    await dialog(page).getByLabel('Name', { exact: true }).fill('To follow up 🌱')
    await submit(page, 'Save')
    await button(page, 'To follow up 🌱').waitFor()
    await button(page, 'All 2').click()
    await expect.poll(() => hash(page)).not.toContain('status=')
    await page.reload()
    await button(page, 'To follow up 🌱').click()
    await page.waitForURL(/status=unused/)
    await expect.poll(() => hash(page)).toContain('sort=note')
    await button(page, 'View To follow up 🌱').click()
    await page.getByRole('menuitem', { name: 'Rename view' }).click()
    await dialog(page).getByLabel('Name', { exact: true }).fill('Renamed')
    await submit(page, 'Save')
    await button(page, 'View Renamed').click()
    await page.getByRole('menuitem', { name: 'Remove view' }).click()
    await page.getByText('View Renamed removed.').waitFor()
    await expect.poll(() => button(page, 'Renamed').count()).toBe(0)
  })
})

describe('an export', () => {
  it('from the bulk actions contains exactly the filtered users', async () => {
    const owned = await createOwner(stage.server)
    for (const note of ['b', 'a', 'other']) await createUser(owned.owner, owned.project, { note })
    const page = await open(stage, owned, { query: '?note=other' })
    await button(page, 'Bulk actions').click()
    await page.getByRole('menuitem', { name: 'Export matching users…' }).click()
    await dialog(page).getByLabel('Format').selectOption('json')
    const saved = page.waitForEvent('download')
    await submit(page, 'Export')
    const users: { note: string }[] = JSON.parse(readFileSync(await (await saved).path(), 'utf8'))
    expect(users.map(({ note }) => note)).toEqual(['other'])
  })

  it('contains exactly the listed users, in the same order, as CSV or JSON', async () => {
    const owned = await createOwner(stage.server)
    const { owner, project } = owned
    for (const note of ['b', 'a'])
      await createUser(owner, project, { note, key_expires: Date.now() + DAY_MS })
    await createUser(owner, project, { note: 'other' })
    const page = await open(stage, owned, { query: '?key_expires=true&sort=note&order=asc' })
    const save = async (format: string) => {
      await button(page, 'Export the list').click()
      await dialog(page).getByLabel('Format').selectOption(format)
      const saved = page.waitForEvent('download')
      await submit(page, 'Export')
      const file = await (await saved).path()
      await page.getByText('2 users exported.').first().waitFor()
      return readFileSync(file, 'utf8')
    }
    const [head = '', ...lines] = (await save('csv')).split('\r\n')
    expect(head).toContain('key,chat_id,note')
    expect(lines.map((line) => line.split(',')[2])).toEqual(['a', 'b'])
    const users: { note: string }[] = JSON.parse(await save('json'))
    expect(users.map(({ note }) => note)).toEqual(['a', 'b'])
  })
})
