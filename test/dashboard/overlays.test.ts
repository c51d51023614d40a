/** Tests menus, panels and toasts, whose code loads when they are first used. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { sharedStage } from './stage.ts'
import { button, open, withUsers } from './users-steps.ts'

const stage = sharedStage()

const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true })
const focused = (page: Page, selector: string) => page.locator(selector).and(page.locator(':focus')).waitFor()

describe('a menu', () => {
  it.each(['Enter', 'ArrowDown'])(
    'opens with %s, moves with the arrow keys, and gives the focus back',
    async (key) => {
      const page = await open(stage, await withUsers(stage, 'one'))
      const trigger = button(page, 'Bulk actions')
      await trigger.focus()
      await page.keyboard.press(key)
      await item(page, 'Import').waitFor()
      await focused(page, '[role="menu"], [role="menu"] *')
      await page.keyboard.press('End')
      await focused(page, '[role="menuitem"]:last-child')
      await page.keyboard.press('Escape')
      await item(page, 'Import').waitFor({ state: 'detached' })
      await trigger.and(page.locator(':focus')).waitFor()
    },
  )

  it('stays open when the code that draws only the rows in view arrives', async () => {
    const page = await open(stage, await withUsers(stage, 'one'))
    const { promise: mayArrive, resolve: arrive } = Promise.withResolvers<void>()
    let url = ''
    await page.route(/\/virtual-rows-/, async (route) => {
      url = route.request().url()
      await mayArrive
      await route.continue()
    })
    await page.reload()
    await page.getByRole('button', { name: 'Actions for one', exact: true }).click()
    await item(page, 'Copy key').waitFor()
    await page.evaluate("globalThis.row = document.querySelector('tr[data-index]')")
    arrive()
    await expect.poll(() => url).not.toBe('')
    const frame = 'await new Promise(requestAnimationFrame)'
    await page.evaluate(`(async () => { await import(${JSON.stringify(url)}); ${`${frame};`.repeat(5)} })()`)
    expect(await page.evaluate('globalThis.row.isConnected')).toBe(true)
    await item(page, 'Copy key').click()
  })

  it('whose code could not be loaded opens at the next click', async () => {
    const page = await open(stage, await withUsers(stage, 'one'))
    let isAway = true
    await page.route(/\/assets\//, (route) => (isAway ? route.abort() : route.continue()))
    await button(page, 'Bulk actions').click()
    isAway = false
    await expect
      .poll(async () => {
        await button(page, 'Bulk actions').click()
        return item(page, 'Import').isVisible()
      })
      .toBe(true)
  })
})

it('a panel of a filter opens with the keyboard, and gives the focus back', async () => {
  const page = await open(stage, await withUsers(stage, 'one'))
  const trigger = button(page, '+ Tag')
  await trigger.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Tag' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('textbox', { name: 'Tag' }).waitFor({ state: 'detached' })
  await trigger.and(page.locator(':focus')).waitFor()
})

it('a toast appears although it is the first of the page', async () => {
  const page = await open(stage, await withUsers(stage, 'one'))
  await page.getByRole('button', { name: 'Actions for one', exact: true }).click()
  await item(page, 'Copy key').click()
  await page.getByRole('region', { name: 'Notifications' }).getByText('Key copied.').waitFor()
})
