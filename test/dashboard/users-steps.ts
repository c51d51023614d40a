import type { BrowserContextOptions, Page } from 'playwright-core'
import { createOwner, createUser, type Owned, readUser } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { signInAs } from '../sign-in.ts'
import type { Stage } from './stage.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

export type Visit = { readonly query?: string; readonly seat?: Seat; readonly look?: BrowserContextOptions }

export async function open(
  stage: Stage,
  { owner, project }: Owned,
  { query = '', seat, look }: Visit = {},
): Promise<Page> {
  const context = await stage.browser.newContext(look ?? { viewport: { width: 1280, height: 860 } })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.server.url })
  await signInAs(context, stage.server, owner.id, seat)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/users${query}`)
  await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
  return page
}

/** Opens a project that has users with these notes, in this order. */
export async function withUsers(
  stage: Stage,
  ...notes: string[]
): Promise<Owned & { readonly keys: string[] }> {
  const owned = await createOwner(stage.server)
  const keys: string[] = []
  for (const note of notes) keys.push(await createUser(owned.owner, owned.project, { note }))
  return { ...owned, keys }
}

/** Finds the row with this note. A string must match the entire note. */
export const row = (page: Page, note: string | RegExp) =>
  page.getByRole('row').filter({ has: page.getByText(note, { exact: true }) })
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const dialog = (page: Page) => page.locator('dialog[open]').last()
/** Opens an action from the menu on a user's record. */
export async function act(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^More actions for/ }).click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
export const submit = (page: Page, name: string) =>
  dialog(page).getByRole('button', { name, exact: true }).click()
export const hash = (page: Page) => new URL(page.url()).hash

export async function choose(page: Page, ...notes: (string | RegExp)[]): Promise<void> {
  for (const note of notes) await row(page, note).getByRole('checkbox').check()
}

export async function read({ owner }: Owned, key: string | undefined) {
  return readUser(owner, key ?? '')
}

export async function createPlan({ owner, project }: Owned, body: object): Promise<string> {
  return (await owner.post(`/v1/projects/${project}/plans/new`, body)).string('plan_id')
}

export async function sell({ owner, project }: Owned, body: object): Promise<string> {
  return (await owner.post(`/v1/projects/${project}/users/new`, body)).string('user_key')
}
