/**
 * Plays through an author's year on the dashboard: they migrate from another service, sell with a plan, help
 * with devices, block a key, and undo a mistake.
 */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Owner } from '../../packages/server/test/harness.ts'
import { createOwner, createScript } from '../../packages/server/test/nouns.ts'
import { component, ProtocolClient } from '../../packages/server/test/protocol/client.ts'
import { signInAs } from '../sign-in.ts'
import { button, dialog, goTo, menuItem, runScript, type Scene, tab } from './walk-scene.ts'

const DAY_MS = 86_400_000
const SCRIPT = `print('runs', ward.plan, ward.limit('slots'))`
/** An export from the other service. */
const RECORDS = [
  { user_key: 'moved-ada-0001', auth_expire: -1, total_executions: 0, note: 'Ada' },
  { user_key: 'moved-eve-0002', auth_expire: -1, total_executions: 9, note: 'Eve' },
]
const ADA = 'moved-ada-0001'
const EVE = 'moved-eve-0002'

type Author = { readonly scene: Scene; readonly page: Page; readonly owner: Owner; readonly loader: string }

export async function openYear(scene: Scene): Promise<Author> {
  const { owner, project } = await createOwner(scene.server, {}, { name: 'Garden' })
  const script = await createScript(owner, project, { script: SCRIPT, options: { preset: 'light' } })
  const { page, context } = await scene.open()
  await signInAs(context, scene.server, owner.id)
  await page.goto(`${scene.server.url}/dashboard/#/projects/${project}/users`)
  return { scene, page, owner, loader: `${scene.server.url}/client/v1/loader/${script}` }
}

/** Sessions expire in the meantime, so the author signs in again. */
async function later({ scene, page, owner }: Author, ms: number): Promise<void> {
  scene.server.clock.now += ms
  await signInAs(page.context(), scene.server, owner.id)
  await page.reload()
}

/** Returns the first word printed by a run, or its denial reason. */
async function play({ loader }: Author, key: string, device: string): Promise<string> {
  const { stdout, stderr } = await runScript({ loader, key, device })
  return stdout.trim() || (/\((\w+)\)/.exec(stderr)?.[1] ?? stderr)
}

async function openUser(page: Page, note: string): Promise<void> {
  await page.getByRole('searchbox').fill(note)
  await page
    .getByRole('row')
    .filter({ hasText: note })
    .getByRole('button', { name: new RegExp(`^${note}`) })
    .click()
}

/** Nothing is created until the preview is confirmed. */
export async function moveIn({ page, owner }: Author): Promise<void> {
  await button(page, 'Import').click()
  await dialog(page).getByLabel('Or paste it here').fill(JSON.stringify(RECORDS))
  await button(dialog(page), 'Continue').click()
  await dialog(page).getByText('2 users will be imported.').waitFor()
  await dialog(page)
    .getByText(/Luarmor export detected/)
    .waitFor()
  expect((await owner.get(`/v1/users/${ADA}`)).status).toBe(404)
  await button(dialog(page), 'Import 2 users').click()
  await dialog(page).getByText('2 users imported.').waitFor()
  await button(dialog(page), 'Done').click()
}

export async function sellByPlan({ page }: Author): Promise<void> {
  await goTo(page, 'Plans')
  await button(page, 'New plan').click()
  const label = (name: string) => dialog(page).getByLabel(name, { exact: true })
  await label('Name').fill('Pro')
  await label('Length').fill('30')
  await label('Device limit').fill('2')
  await button(dialog(page), 'Add feature').click()
  await label('Feature').fill('slots')
  await label('Type').selectOption('number')
  await label('Value').fill('3')
  await button(dialog(page), 'Create plan').click()
  await page.getByText('Plan created.').waitFor()
  await goTo(page, 'Users')
  await openUser(page, 'Ada')
  await tab(page, 'Edit').click()
  await label('Plan').selectOption('Pro · 30 days from first run')
  await button(dialog(page), 'Save').click()
  await dialog(page).getByText('Not started').first().waitFor()
  await button(dialog(page), 'Close').click()
}

/**
 * A key with two slots is tried on three devices. The third device is denied until another device is
 * released.
 */
export async function helpWithDevices(author: Author): Promise<void> {
  const { page } = author
  expect(await play(author, ADA, 'DESK')).toBe('runs\tPro\t3')
  expect(await play(author, ADA, 'LAPTOP')).toBe('runs\tPro\t3')
  expect(await play(author, ADA, 'PHONE')).toBe('fingerprint_mismatch')
  await openUser(page, 'Ada')
  await tab(page, 'Devices').click()
  await button(dialog(page), 'Remove Unnamed device').first().click()
  await button(dialog(page), 'Remove').click()
  await page.getByText('Device removed.').waitFor()
  await button(dialog(page), 'Close').click()
  expect(await play(author, ADA, 'PHONE')).toBe('runs\tPro\t3')
}

/** The paused days are added to the expiry date. */
export async function pauseAndResume(author: Author): Promise<void> {
  const { page } = author
  for (const [action, verdict] of [
    ['Pause', 'key_paused'],
    ['Resume', 'runs\tPro\t3'],
  ] as const) {
    await page.getByRole('searchbox').fill('Ada')
    await page.getByRole('row').filter({ hasText: 'Ada' }).getByRole('checkbox').check()
    await button(page, action).click()
    await button(dialog(page), action).click()
    await page.getByText(`1 key ${action.toLowerCase()}d.`).waitFor()
    await button(page, 'Clear').click()
    expect(await play(author, ADA, 'PHONE')).toBe(verdict)
    await later(author, 3 * DAY_MS)
  }
}

export async function banDevice({ page, scene, loader }: Author): Promise<void> {
  const client = new ProtocolClient(scene.server.url)
  // All scripts of this test run on one machine, which Ada's key is bound to.
  const machine = { key: EVE, fp: { machine_id: component('machine of the leaker') } }
  const verdict = () => client.verdict(loader.split('/').at(-1) ?? '', machine)
  expect(await verdict()).toBe('granted')
  await openUser(page, 'Eve')
  await menuItem(page, 'Block device, network or account…')
  await dialog(page).getByLabel('Reason').fill('passed it on')
  await button(dialog(page), 'Block').click()
  await dialog(page)
    .getByText(/^Device .+ is blocked\.$/)
    .waitFor()
  await button(dialog(page), 'Close').click()
  expect(await verdict()).toBe('blacklisted')
}

export async function endKey(author: Author): Promise<void> {
  const { page } = author
  await later(author, 40 * DAY_MS)
  expect(await play(author, ADA, 'PHONE')).toBe('key_expired')
  await page.getByRole('searchbox').fill('')
  await page.getByRole('row').filter({ hasText: 'Ada' }).getByText('Expired').waitFor()
}

/** All users are removed with one click, and restored with another. */
export async function takeBack(author: Author): Promise<void> {
  const { page, owner } = author
  const before = (await owner.get(`/v1/users/${ADA}/devices`)).body
  await button(page, 'Bulk actions').click()
  await page.getByRole('menuitem', { name: 'Remove all users…' }).click()
  await dialog(page).getByText('2 users will be removed.').waitFor()
  await dialog(page).getByLabel('Type Garden to confirm').fill('Garden')
  await button(dialog(page), 'Remove all users').click()
  await page.getByText('2 users removed.').waitFor()
  expect(await play(author, ADA, 'PHONE')).toBe('invalid_key')
  await button(page, 'Undo').click()
  await page.getByText('Undone.').waitFor()
  await page.getByRole('row').filter({ hasText: 'Ada' }).waitFor()
  expect((await owner.get(`/v1/users/${ADA}/devices`)).body).toEqual(before)
}

export async function exportAll({ page }: Author): Promise<void> {
  await button(page, 'Bulk actions').click()
  await page.getByRole('menuitem', { name: 'Export…' }).click()
  const saved = page.waitForEvent('download')
  await button(dialog(page), 'Export').click()
  const exported = JSON.parse(readFileSync(await (await saved).path(), 'utf8')) as { key: string }[]
  expect(exported.map(({ key }) => key).sort()).toEqual([ADA, EVE])
}
