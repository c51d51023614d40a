/**
 * Test setup for a day on the dashboard: a server with its jobs and a running clock, ad providers, a browser,
 * and customers who run scripts in real Lua. Tests use the pages as users do, by their visible text.
 */
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach } from 'vitest'
import { type Outcome, runLoader, TRANSPORTS } from '../../packages/client/test/run-loader.ts'
import { type Scene as AdScene, sceneOn } from '../../packages/server/test/ads/scene.ts'
import type { Engine } from '../../packages/server/test/databases.ts'
import { openWindows } from '../windows.ts'

export type Scene = AdScene & {
  /** Opens a separate signed-out browser window. */
  open(): Promise<{ readonly page: Page; readonly context: BrowserContext }>
}

/** The key and the device of a customer's run. */
export type Run = {
  /** URL of the loader, as sent to the customer. */
  readonly loader: string
  readonly key: string
  readonly device: string
  readonly signal?: AbortSignal
}

export function walkSceneOn(engine: Engine): () => Scene {
  const ads = sceneOn(engine, { jobs: true, mail: undefined })
  const browser = openWindows()
  beforeAll(() => goOn(ads().server.clock))
  beforeEach(() => {
    ads().server.clock.now = Date.now()
  })
  return () => ({
    ...ads(),
    async open() {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: ads().server.url })
      return { context, page: await context.newPage() }
    },
  })
}

/** Lets the clock run from its current time. */
function goOn(clock: { now: number }): void {
  let ahead = 0
  Object.defineProperty(clock, 'now', {
    get: () => Date.now() + ahead,
    set: (now: number) => {
      ahead = now - Date.now()
    },
  })
}

/** Downloads the loader and runs it in plain Lua, on a device with this name. */
export async function runScript({ loader, key, device, signal }: Run): Promise<Outcome> {
  const text = await (await fetch(`${loader}?rt=51`)).text()
  const before = `script_key = "${key}" function gethwid() return "${device}" end`
  return runLoader({ command: 'lua5.1', text, before, env: TRANSPORTS.LuaSocket, ...(signal && { signal }) })
}

export const button = (on: Page | Locator, name: string) => on.getByRole('button', { name, exact: true })
export const link = (on: Page | Locator, name: string) => on.getByRole('link', { name, exact: true })
/** Chooses an entry from the menu on a user's record. */
export async function menuItem(page: Page, name: string): Promise<void> {
  await page
    .getByRole('dialog')
    .last()
    .getByRole('button', { name: /^More actions for/ })
    .click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
export const tab = (on: Page | Locator, name: string) =>
  on.getByRole('tab', { name: new RegExp(`^${name}( [\\d,]+)?$`) })
export const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const dialog = (page: Page) => page.getByRole('dialog').last()

/** Navigates with the sidebar, which lists either the project's pages or the account and server pages. */
export async function goTo(page: Page, room: string): Promise<void> {
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.waitFor()
  if ((await link(pages, room).count()) === 0) {
    const toAccount = page.getByRole('button', { name: /Account and server$/ })
    await toAccount.or(pages.getByText(/^Back to /)).click()
  }
  await link(pages, room).click()
}
