/** The catalogue of parts: each in each of its states, readable for everybody, in both colour schemes and at both widths. */
import { globSync } from 'node:fs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createOwner, type Owned } from '../../packages/server/test/nouns.ts'
import { signInAs } from '../sign-in.ts'
import { DASHBOARD, reachedFrom } from './imports.ts'
import { sharedStage } from './stage.ts'

/** Around every page. */
const ELSEWHERE = ['parts/brand.tsx']

const stage = sharedStage()
let owned: Owned

beforeAll(async () => {
  owned = await createOwner(stage.server, {}, { name: 'Garden' })
})

async function open(look: BrowserContextOptions, query = ''): Promise<Page> {
  const context = await stage.browser.newContext(look)
  await signInAs(context, stage.server, owned.owner.id)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/catalogue${query}`)
  await page.locator('canvas').first().waitFor()
  await page.locator('.cm-content').nth(1).waitFor()
  return page
}

describe('the catalogue', () => {
  it('shows every part', () => {
    const shown = reachedFrom('pages/catalogue/page.tsx')
    const parts = globSync('parts/**/*.tsx', { cwd: DASHBOARD })
    expect(parts.filter((name) => !shown.has(name) && !ELSEWHERE.includes(name))).toEqual([])
  })

  it('opens a menu over the drawer that it is in, and Escape closes the menu alone', async () => {
    const page = await open({ viewport: { width: 1280, height: 900 } })
    await page.goto(`${stage.server.url}/dashboard/#/catalogue?open=drawer`)
    const drawer = page.locator('dialog[open]')
    const button = drawer.getByRole('button', { name: 'Say something' })
    await button.click()
    await page.getByRole('menuitem').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menuitem').waitFor({ state: 'detached' })
    expect(await drawer.isVisible()).toBe(true)
    await button.click()
    await page.getByRole('menuitem').click()
    await drawer.waitFor({ state: 'detached' })
  })
})
