/** The catalogue of parts: each in each of its states, readable for everybody, in both colour schemes and at both widths. */
import path from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { createOwner, type Owned } from '../../packages/server/test/nouns.ts'
import { readSourceFiles } from '../../scripts/source-files.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const PARTS = 'packages/dashboard/src/parts/'
const PAGE = 'packages/dashboard/src/pages/catalogue/page.tsx'
/** Around every page. */
const ELSEWHERE = [`${PARTS}brand.tsx`]

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
    const files = new Map(readSourceFiles(ROOT).map((file) => [file.path, file]))
    const shown = new Set<string>()
    const visit = (name: string) => {
      if (shown.has(name)) return
      shown.add(name)
      for (const { specifier } of files.get(name)?.imports ?? [])
        if (specifier.startsWith('.')) visit(path.posix.join(path.posix.dirname(name), specifier))
    }
    visit(PAGE)
    const parts = [...files.keys()].filter((name) => name.startsWith(PARTS) && name.endsWith('.tsx'))
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
