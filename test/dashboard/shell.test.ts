/**
 * Tests the app shell in a real browser: navigation to every page, the theme, the breadcrumb, and the sidebar
 * on a phone.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createOwner, createProject, createScript } from '../../packages/server/test/nouns.ts'
import { findBarriers, findCut, isTooWide, picture } from '../browser.ts'
import { idOfOperator, signInAs } from '../sign-in.ts'
import { makeBusy } from './busy-project.ts'
import { inspect } from './inspect.ts'
import { sharedStage } from './stage.ts'

const ROUTER = path.join(import.meta.dirname, '..', '..', 'packages', 'dashboard', 'src', 'router.tsx')
const WIDE = { width: 1280, height: 900 }
const PHONE = { width: 360, height: 760 }

const stage = sharedStage()

async function open(account: string, address: string, viewport = WIDE): Promise<Page> {
  const context = await stage.browser.newContext({ viewport, colorScheme: 'light' })
  await signInAs(context, stage.server, account)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/${address}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })
const account = (page: Page) => page.getByRole('button', { name: / Account and server$/ })
const panel = (page: Page) => page.getByRole('dialog', { name: 'Sidebar' })
const addressesIn = async (page: Page): Promise<readonly string[]> =>
  Promise.all(
    (await pages(page).getByRole('link').all()).map(async (link) => (await link.getAttribute('href')) ?? ''),
  )

/** Returns the URLs of all pages that need only a project, as listed by the router. */
function addressesOfPages(project: string): readonly string[] {
  const routes = readFileSync(ROUTER, 'utf8').matchAll(/of(Visit|Project)\(\s*'([^'$]+)',\s*(\S+)/g)
  return [...routes].flatMap(([, of, route = '', component]) => {
    if (component?.startsWith('forwardTo')) return []
    if (of === 'Visit') return [`#/${route.replace(/^\//, '')}`]
    return [`#/projects/${project}${route === '/' ? '' : `/${route}`}`]
  })
}

describe('every page', () => {
  it('is at most two clicks from a page of a project, and in the command palette', async () => {
    const operator = await idOfOperator(stage.server)
    const project = await createProject(stage.server.admin, { name: 'Lantern' })
    const page = await open(operator, `#/projects/${project}`)
    const ofProject = await addressesIn(page)
    await account(page).click()
    await pages(page).getByRole('button', { name: 'Back to Lantern' }).and(page.locator(':focus')).waitFor()
    const ofAccount = await addressesIn(page)
    const all = addressesOfPages(project)
    expect(all.length).toBeGreaterThan(20)
    const denials = `#/projects/${project}/denials`
    expect([...ofProject, ...ofAccount, denials]).toEqual(expect.arrayContaining([...all]))
    const titles = await pages(page).getByRole('link').allTextContents()
    await pages(page).getByRole('button', { name: 'Back to Lantern' }).click()
    titles.push('Denials')
    titles.push(...(await pages(page).getByRole('link').allTextContents()))
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Overview', exact: true }).waitFor()
    const offered = await page.getByRole('option').allTextContents()
    expect(offered).toEqual(expect.arrayContaining(titles.filter((title) => title !== 'API reference')))
    await page.keyboard.press('Escape')
    await pages(page).getByRole('link', { name: 'Logs' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Denials', exact: true }).click()
    await expect.poll(() => new URL(page.url()).hash).toBe(denials)
  })

  it('of the account leads back to the project', async () => {
    const { owner, project } = await createOwner(stage.server, {}, { name: 'Lantern' })
    const page = await open(owner.id, `#/projects/${project}/plans`)
    await account(page).click()
    await pages(page).getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await pages(page).getByRole('link', { name: 'Back to Lantern' }).click()
    await page
      .getByRole('heading', { level: 1, name: 'Lantern' })
      .or(page.getByText('Ship'))
      .first()
      .waitFor()
    expect(new URL(page.url()).hash).toBe(`#/projects/${project}`)
  })
})

it('the breadcrumb links an entry to its list', async () => {
  const { owner, project } = await createOwner(stage.server, {}, { name: 'Lantern' })
  const script = await createScript(owner, project, { name: 'hub' })
  const page = await open(owner.id, `#/projects/${project}/scripts/${script}`)
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' })
  await crumbs.getByText('hub', { exact: true }).and(crumbs.locator('[aria-current]')).waitFor()
  await crumbs.getByRole('link', { name: 'Scripts' }).click()
  await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor()
  await expect.poll(() => crumbs.getByRole('link').count()).toBe(0)
})

describe('the theme', () => {
  const scheme = (page: Page) =>
    page.evaluate<string>('getComputedStyle(document.documentElement).getPropertyValue("color-scheme")')
  const choose = async (page: Page, theme: string) => {
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemradio', { name: theme }).click()
  }

  it('is remembered, is set before the first paint, and can follow the system again', async () => {
    const { owner, project } = await createOwner(stage.server)
    const page = await open(owner.id, `#/projects/${project}/settings`)
    expect(await scheme(page)).toBe('light dark')
    await choose(page, 'Dark')
    await expect.poll(() => scheme(page)).toBe('dark')
    expect(await findBarriers(page)).toEqual([])
    await page.route(/\/assets\/index-.*\.js$/, (route) => route.abort())
    await page.reload({ waitUntil: 'domcontentloaded' })
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await page.unrouteAll()
    await page.reload()
    await choose(page, 'System')
    await expect.poll(() => scheme(page)).toBe('light dark')
    await page.reload()
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBeUndefined()
  })

  it('applies immediately to charts and other tabs', async () => {
    const { owner, project } = await makeBusy(stage.server)
    const address = `#/projects/${project}/statistics`
    const page = await open(owner.id, address)
    await page.locator('main [role=slider] svg text').first().waitFor()
    const other = await page.context().newPage()
    await other.goto(`${stage.server.url}/dashboard/${address}`)
    await other.getByRole('heading', { level: 1 }).waitFor()
    const colorOf = (part: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('main [role=slider] ${part}')).fill`)
    const before = await colorOf('svg text')
    await choose(other, 'Dark')
    await expect.poll(() => scheme(page)).toBe('dark')
    await expect.poll(() => colorOf('svg text')).not.toBe(before)
  })
})

describe('on a phone, the sidebar', () => {
  it('opens over the page, keeps the focus inside, and closes with Esc and with a link', async () => {
    const { owner, project } = await createOwner(stage.server, {}, { name: 'L'.repeat(100) })
    const page = await open(owner.id, `#/projects/${project}/plans`, PHONE)
    expect(await pages(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Menu' }).click()
    await panel(page).waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect([await findCut(page), await isTooWide(page)]).toEqual([[], false])
    for (let step = 0; step < 25; step += 1) {
      await page.keyboard.press('Tab')
      const isInside = `document.activeElement === document.body || !!document.activeElement.closest('dialog')`
      expect(await page.evaluate<boolean>(isInside)).toBe(true)
    }
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Menu' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await pages(page).getByRole('link', { name: 'Users' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await expect.poll(() => panel(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Menu' }).click()
    await pages(page).getByRole('link', { name: 'Users' }).click()
    await expect.poll(() => panel(page).count()).toBe(0)
  })
})

it("the account's pages look right next to the account's sidebar", async () => {
  const { owner, project } = await createOwner(stage.server, {}, { name: 'Lantern' })
  const page = await open(owner.id, `#/projects/${project}/plans`)
  await account(page).click()
  await pages(page).getByRole('link', { name: 'Members' }).click()
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await inspect(page, 'shell, the account')
  await pages(page).getByRole('link', { name: 'Back to Lantern' }).click()
  await page.getByRole('button', { name: /^Choose a project/ }).click()
  await page.getByRole('menuitem', { name: 'All projects' }).waitFor()
  await picture(page, 'shell-projects')
  await page.keyboard.press('Escape')
  await page.setViewportSize(PHONE)
  await page.getByRole('button', { name: 'Menu' }).click()
  await panel(page).waitFor()
  await inspect(page, 'shell, the panel')
})
