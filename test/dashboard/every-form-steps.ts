/**
 * Test steps that open, fill, leave and discard forms in a real browser. Tests in one file share the account
 * and the page.
 */
import type { Locator, Page, Request, Route } from 'playwright-core'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { sample } from '../../packages/client/test/effort.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { WEBHOOKS } from '../../packages/server/test/webhooks/receiver.ts'
import { idOfOperator, signInAs } from '../sign-in.ts'
import { addPasskey, fill } from './filled-account.ts'
import { type Filled, formOf, type KeptForm } from './kept-form.ts'
import { ownStage, type Stage } from './stage.ts'
import { dialog, submit } from './users-steps.ts'

const { adProviders } = readConfig({})
let stage: Stage
let filled: Filled
export let page: Page

export function useFilledAccount(): void {
  stage = ownStage({ config: { ...WEBHOOKS, adProviders, discordUrl: undefined } })
  beforeAll(async () => {
    const { server } = stage
    server.clock.now = Date.now()
    filled = await fill(server)
    const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
    const { email } = await signInAs(context, server, await idOfOperator(server))
    await addPasskey(server, email)
    page = await context.newPage()
  })
  afterEach(() => page.evaluate('sessionStorage.clear()'))
}

/** Declares one test per form, by day only for a third of them: all forms keep input in the same way. */
export function isKeptIn(forms: Readonly<Record<string, KeptForm>>): void {
  it.each(sample(Object.entries(forms), 3))(
    'into %s is there after a reload and on return, until it is discarded',
    async (name, form) => {
      const field = await open(name, form)
      const before = await shownIn(field)
      await type(field, form.typed)
      await page.reload()
      await isRestored(await open(name, form), name, form)
      await leave(name)
      await isRestored(await open(name, form), name, form)
      await discard(name)
      await expect.poll(() => drafts()).toEqual([])
      // Reads the form only once, because polling would also accept a draft that reappears briefly.
      expect(await shownIn(await open(name, form))).toBe(before)
      expect(await formOf(page, name).getByText('Restored what you typed.').count()).toBe(0)
    },
  )
}

export async function open(name: string, form: KeptForm): Promise<Locator> {
  await goElsewhere()
  await page.goto(`${stage.server.url}/dashboard/${form.address(filled)}`)
  await form.open?.(page)
  const field = form.field(formOf(page, name))
  await field.waitFor()
  return field
}

export async function isRestored(field: Locator, name: string, form: KeptForm): Promise<void> {
  await expect.poll(() => shownIn(field)).toBe(form.typed)
  await formOf(page, name).getByText('Restored what you typed.').waitFor()
}

async function goElsewhere(): Promise<void> {
  await page.goto(`${stage.server.url}/dashboard/#/no-such-page`)
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
}

/** Leaves a form that needs no confirmation: dialogs with Escape, pages by opening another page. */
export async function leave(name: string): Promise<void> {
  const isDialog = (await page.locator(`dialog:not(.drawer) [data-form="${name}"]`).count()) > 0
  if (isDialog) await page.keyboard.press('Escape')
  else await goElsewhere()
  await formOf(page, name).waitFor({ state: 'detached' })
}

/** Delays the response to the next change until the returned `give` is called. */
export async function holdAnswer() {
  const asked = Promise.withResolvers<Request>()
  const given = Promise.withResolvers<void>()
  const hold = async (route: Route) => {
    if (route.request().method() === 'GET') return route.continue()
    const answer = await route.fetch()
    asked.resolve(route.request())
    await given.promise
    await route.fulfill({ response: answer })
    await page.unroute('**/v1/**', hold)
  }
  await page.route('**/v1/**', hold)
  return { isAsked: asked.promise, give: given.resolve }
}

async function discard(name: string): Promise<void> {
  await formOf(page, name).getByRole('button', { name: 'Discard', exact: true }).click()
  await dialog(page).getByText('Discard what you typed?').waitFor()
  await submit(page, 'Discard')
}

export async function type(field: Locator, typed: string): Promise<void> {
  const isSelect = await field.evaluate((element) => (element as unknown as Shown).tagName === 'SELECT')
  if (isSelect) await field.selectOption(typed)
  else await field.fill(typed)
}

type Shown = { readonly tagName: string; readonly value?: string; readonly innerText: string }

export const shownIn = (field: Locator) =>
  field.evaluate((element) => {
    const { value, innerText } = element as unknown as Shown
    return value ?? innerText
  })

export const drafts = () =>
  page.evaluate<string[]>("Object.keys(sessionStorage).filter((name) => name.startsWith('draft.'))")
