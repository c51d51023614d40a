/** Tests the command palette and shortcuts in a real browser, using only the keyboard. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { createOwner, createProject, createScript, createUser } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { findBarriers, picture } from '../browser.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'

const stage = sharedStage()

async function open(account: string, address: string, seat?: Seat): Promise<Page> {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, account, seat)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/${address}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return page
}

const dialog = (page: Page) => page.locator('dialog[open]').last()
const chosen = (page: Page) => dialog(page).getByRole('option', { selected: true })
const addressOf = (page: Page) => new URL(page.url()).hash

/**
 * Waits for the palette to have the focus before typing, because earlier key presses would go to the page.
 */
async function openAndType(page: Page, typed: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect.poll(() => page.evaluate(`document.activeElement?.getAttribute('role')`)).toBe('combobox')
  await page.keyboard.type(typed)
}

/** Opens the palette, types, and waits until this entry would open with Enter. */
async function seek(page: Page, typed: string, found: string): Promise<void> {
  await openAndType(page, typed)
  await chosen(page).getByText(found, { exact: true }).waitFor()
}

const OTHER_NAMES = [
  ['trace', 'Leaks'],
  ['ban', 'Blocks'],
  ['block', 'Blocks'],
  ['hwid', 'Users'],
  ['webhook', 'Webhooks'],
] as const

async function idOfOperator(): Promise<string> {
  const admins = stage.server.deps.db.read.selectFrom('customers').select('id').where('admin', '=', 1)
  return (await admins.executeTakeFirstOrThrow()).id
}

it('the command palette finds keys by prefix or note, scripts, projects and pages', async () => {
  const { owner, project } = await createOwner(stage.server)
  const key = await createUser(owner, project, { note: 'مشتري 🐸 of spring' })
  await createUser(owner, project, { note: 'somebody else' })
  const script = await createScript(owner, project, { name: 'Greeter' })
  const other = await createProject(owner, { name: 'Another game' })
  const page = await open(owner.id, `#/projects/${project}/denials`)
  await seek(page, key.slice(0, 10), key)
  await picture(page, 'palette-keys')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('tab', { name: 'Activity' }).waitFor()
  expect(addressOf(page)).toBe(`#/projects/${project}/users?user=${key}`)
  await page.keyboard.press('Escape')
  await seek(page, 'of spring', key)
  await page.keyboard.press('ArrowDown')
  await chosen(page).getByText('Extend').waitFor()
  await page.keyboard.press('Enter')
  await dialog(page)
    .getByRole('heading', { name: /^Extend/ })
    .waitFor()
  await expect.poll(() => addressOf(page)).toBe(`#/projects/${project}/users/${key}`)
  await page.keyboard.press('Escape')
  await seek(page, 'greet', 'Greeter')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Greeter' }).waitFor()
  expect(addressOf(page)).toBe(`#/projects/${project}/scripts/${script}`)
  await seek(page, 'another', 'Another game')
  await page.keyboard.press('Enter')
  await expect.poll(() => addressOf(page)).toBe(`#/projects/${other}`)
  await seek(page, 'webhooks', 'Webhooks')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  await page.keyboard.press('Control+k')
  for (const [typed, found] of OTHER_NAMES) {
    await dialog(page).getByRole('combobox').fill(typed)
    await chosen(page).getByText(found, { exact: true }).waitFor()
  }
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  await openAndType(page, 'nothing has such a name')
  await dialog(page).getByText('No results.').waitFor()
})

it('the command palette finds keys of other projects, those of the open one first', async () => {
  const { owner, project } = await createOwner(stage.server)
  const other = await createProject(owner, { name: 'Another game' })
  const here = await createUser(owner, project, { note: 'rain here' })
  const there = await createUser(owner, other, { note: 'rain there' })
  const page = await open(owner.id, `#/projects/${project}/logs`)
  await seek(page, 'rain', here)
  const keys = dialog(page)
    .getByRole('option')
    .filter({ has: page.locator('code') })
  await expect.poll(() => keys.count()).toBe(2)
  await keys.nth(1).getByText('Another game').waitFor()
  await dialog(page).getByRole('combobox').fill('rain there')
  await chosen(page).getByText(there, { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('tab', { name: 'Activity' }).waitFor()
  expect(addressOf(page)).toBe(`#/projects/${other}/users?user=${there}`)
  await page.goto(`${stage.server.url}/dashboard/#/`)
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  await seek(page, here, here)
})

it('the command palette starts frequent actions, and removes them from the URL', async () => {
  const account = await idOfOperator()
  const project = await createProject(stage.server.admin, { name: 'Shop' })
  await createUser(stage.server.admin, project)
  const page = await open(account, `#/projects/${project}`)
  const actions = [
    ['New key', 'New key'],
    ['Generate keys', 'Generate keys'],
    ['Import users', 'Import'],
    ['Export users', 'Export users'],
    ['Add time to all keys', 'Add time to all keys'],
    ['New ad system', 'New ad system'],
    ['Add an execution webhook', 'Endpoint for Runs'],
    ['New project', 'New project'],
    ['Invite a team member', 'Invite a team member'],
    ['New token', 'New token'],
    ['New account', 'New account'],
  ] as const
  for (const [action, title] of actions) {
    await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/statistics`)
    await page.getByRole('heading', { level: 1, name: 'Statistics' }).waitFor()
    await seek(page, action, action)
    await page.keyboard.press('Enter')
    await dialog(page).getByRole('heading', { name: title, exact: true }).waitFor()
    await expect.poll(() => addressOf(page)).not.toContain('new=')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  }
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/statistics`)
  await seek(page, 'Upload a script', 'Upload a script')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Upload your first script' }).waitFor()
  await seek(page, 'blocked', 'Show blocked users')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^Blocked/, pressed: true }).waitFor()
})

it('the command palette names the permission that an action needs, and a link to it opens nothing without it', async () => {
  const { owner, project } = await createOwner(stage.server)
  await createUser(owner, project)
  const page = await open(owner.id, `#/projects/${project}/users?new=key`, { role: 'reader' })
  await page.getByText('1 of 1').or(page.getByRole('row')).first().waitFor()
  await expect.poll(() => addressOf(page)).not.toContain('new=')
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  await openAndType(page, 'New key')
  const line = dialog(page).getByRole('option').filter({ hasText: 'New key' })
  await line.getByText('users:issue').waitFor()
  await expect.poll(() => line.getAttribute('aria-disabled')).toBe('true')
  expect(await findBarriers(page)).toEqual([])
})

it('the command palette lists every shortcut, and each of them works', async () => {
  const { owner, project } = await createOwner(stage.server)
  await createUser(owner, project, { note: 'one' })
  const page = await open(owner.id, `#/projects/${project}/users`)
  const search = page.getByRole('searchbox')
  await search.waitFor()
  await page.keyboard.press('?')
  const list = dialog(page)
  await list.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  for (const key of ['Ctrl K', '/', '?', '↑', '↓', 'Enter', 'Esc', 'Ctrl F', 'Ctrl Z'])
    await list.locator('kbd').getByText(key, { exact: true }).waitFor()
  expect(await findBarriers(page)).toEqual([])
  await picture(page, 'shortcuts')
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('o?/')
  await expect.poll(() => search.inputValue()).toBe('o?/')
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/scripts`)
  const source = page.getByRole('textbox', { name: 'Source' })
  await source.focus()
  await page.keyboard.type('-- why? a/b')
  await expect.poll(() => source.textContent()).toContain('-- why? a/b')
  await expect.poll(() => page.locator('dialog[open]').count()).toBe(0)
})
