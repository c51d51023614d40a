/**
 * Describes the forms for users, sessions and scripts: how to open, fill and submit each form, and the
 * permission that it requires.
 */
import type { Locator, Page } from 'playwright-core'
import { button, dialog, submit } from './users-steps.ts'

export const MIXED = '🌷👩‍👩‍👧 مفاتيح <b>"é"</b>'

export async function menu(page: Page, name: string): Promise<void> {
  await button(page, 'Bulk actions').click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
export const drawer = (page: Page) => page.locator('dialog.drawer')
export const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const editor = (page: Page, name = 'Source') => page.getByRole('textbox', { name, exact: true })
export const pressIn = (place: Locator, name: string) =>
  place.getByRole('button', { name, exact: true }).click()

export type Form = {
  readonly address: string
  readonly fill: (page: Page) => Promise<unknown>
  readonly place: (page: Page) => Locator
  readonly press: string
  readonly right: string
}

export const FORMS: Readonly<Record<string, Form>> = {
  'a new key': {
    address: 'users?new=key',
    async fill(page) {
      await dialog(page).getByLabel('Note', { exact: true }).fill(MIXED)
      await dialog(page).getByLabel('Discord ID').fill('4711')
      await dialog(page).getByRole('combobox', { name: 'Expires' }).selectOption('in')
    },
    place: dialog,
    press: 'Create key',
    right: 'users:issue',
  },
  'generated keys': {
    address: 'users?new=keys',
    fill: (page) => dialog(page).getByLabel('Note', { exact: true }).fill(MIXED),
    place: dialog,
    press: 'Generate',
    right: 'users:issue',
  },
  'the drawer of a user': {
    address: 'users?tab=edit&user=',
    async fill(page) {
      await drawer(page).getByLabel('Note', { exact: true }).fill(MIXED)
      await drawer(page).getByLabel('Concurrent runs').fill('3')
    },
    place: drawer,
    press: 'Save',
    right: 'users:write',
  },
  'more time for everyone': {
    address: 'users?new=time',
    async fill(page) {
      await dialog(page).getByLabel('Amount of time').fill('12')
      await dialog(page).getByText('1 key will be extended.').waitFor()
    },
    place: dialog,
    press: 'Add time',
    right: 'users:bulk',
  },
  'chat members': {
    address: 'users',
    async fill(page) {
      await menu(page, 'Discord members')
      await dialog(page).getByLabel('Discord IDs').fill('11, 12')
    },
    place: dialog,
    press: 'Add 2',
    right: 'users:write',
  },
  'the check of an import': {
    address: 'users?new=import',
    async fill(page) {
      await dialog(page).getByLabel('Or paste it here').fill(`license,comment\nsome-key-1,${MIXED}\n`)
      await submit(page, 'Continue')
      await dialog(page).getByLabel('Field for comment').selectOption('')
    },
    place: dialog,
    press: 'Preview import',
    right: 'users:bulk',
  },
  'a message to sessions': {
    address: 'sessions',
    async fill(page) {
      await button(page, 'Message all').click()
      await dialog(page).getByLabel('Name').fill('water')
      await dialog(page).getByLabel('Data').fill('{"bed":4}')
    },
    place: dialog,
    press: 'Send',
    right: 'sessions:write',
  },
  'the end of sessions': {
    address: 'sessions',
    fill: (page) => button(page, 'Disconnect all').click(),
    place: dialog,
    press: 'Disconnect',
    right: 'sessions:write',
  },
  'a new script': {
    address: 'scripts?new=script',
    async fill(page) {
      await editor(page).fill('print("typed")')
      await page.getByLabel('Name', { exact: true }).fill(MIXED)
    },
    place: (page) => page.locator('main'),
    press: 'Upload and protect',
    right: 'scripts:write',
  },
  'a new version': {
    address: 'scripts/SCRIPT?tab=new',
    async fill(page) {
      await editor(page).fill('print("typed")')
      await page.getByText('Light', { exact: true }).click()
    },
    place: (page) => page.locator('main'),
    press: 'Protect and publish',
    right: 'scripts:write',
  },
  'a new server function': {
    address: 'scripts/SCRIPT?tab=functions&new=function',
    async fill(page) {
      await page.getByLabel('Name', { exact: true }).fill('price')
      await editor(page, 'Function source').fill('return function() end')
    },
    place: (page) => page.locator('main'),
    press: 'Save',
    right: 'scripts:write',
  },
  'a channel': {
    address: 'scripts/SCRIPT?tab=releases',
    async fill(page) {
      await button(page, 'Add channel').click()
      await dialog(page).getByLabel('Name').fill('beta')
      await dialog(page).getByLabel('Tags').fill('tester, friend')
    },
    place: dialog,
    press: 'Save',
    right: 'scripts:write',
  },
  'settings of a script': {
    address: 'scripts/SCRIPT?tab=settings',
    async fill(page) {
      await panel(page, 'Settings').getByLabel('Name', { exact: true }).fill(MIXED)
      await page.getByLabel('Silent').check()
    },
    place: (page) => panel(page, 'Settings'),
    press: 'Save',
    right: 'scripts:write',
  },
  'an error to look up': {
    address: 'scripts/SCRIPT?tab=errors',
    fill: (page) => page.getByLabel('Error or traceback').fill(`Greeter:3: ${MIXED}`),
    place: (page) => page.locator('main'),
    press: 'Find lines',
    right: 'scripts:source',
  },
  'a leaked copy': {
    address: 'scripts/SCRIPT?tab=trace',
    fill: (page) => editor(page, 'Leaked copy').fill('return "leaked"'),
    place: (page) => page.locator('main'),
    press: 'Find the source of the leak',
    right: 'scripts:source',
  },
}
