/**
 * Plays through a supporter's day: they join by invitation, help users of one project, and see nothing else.
 */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Outcome } from '../../packages/client/test/run-loader.ts'
import { createOwner, createProject, createScript, createUser } from '../../packages/server/test/nouns.ts'
import { rowOf } from '../../packages/server/test/stored.ts'
import { copied } from '../copied.ts'
import { signInAs } from '../sign-in.ts'
import { button, dialog, goTo, link, runScript, type Scene, tab } from './walk-scene.ts'

const LOOPING = `
ward.on_kick = function(reason) print('kick ' .. reason) end
print('started')
while true do ward.step(1) end
`
const DAY_MS = 86_400_000
const MISTYPED = 'mistyped-key-of-a-buyer-0123456789'

type Shop = {
  readonly scene: Scene
  readonly ownerId: string
  /** Key of the buyer who asks for help. */
  readonly key: string
  readonly expires: number
  /** Loaders for a script that finishes, and for a script that runs until it is stopped. */
  readonly check: string
  readonly loader: string
  /** A project that the supporter may not see. */
  readonly secret: string
}
export type Helper = Shop & { readonly page: Page }

/** Creates a project with a script that runs until it is stopped, and buyers with Discord accounts. */
export async function openShop(scene: Scene): Promise<Shop> {
  const { owner, project } = await createOwner(scene.server, {}, { name: 'Garden' })
  const secret = await createProject(owner, { name: 'Not announced yet' })
  const upload = (name: string, script: string) =>
    createScript(owner, project, { name, script, options: { preset: 'light' } })
  const check = await upload('check.lua', "print('ready')")
  const garden = await upload('garden.lua', LOOPING)
  await owner.post(`/v1/scripts/${garden}/edit`, { use_heartbeat: true })
  for (const chat_id of ['40771', '40772', '50881']) await createUser(owner, project, { chat_id })
  const expires = Date.now() + 3 * DAY_MS
  const members = { chat_id: '60991', note: 'Robin', key_expires: expires }
  const key = await createUser(owner, project, members)
  const loaderOf = (script: string) => `${scene.server.url}/client/v1/loader/${script}`
  const loaders = { check: loaderOf(check), loader: loaderOf(garden) }
  return { scene, ownerId: owner.id, key, expires, ...loaders, secret }
}

/** The owner invites a supporter to one project, and the supporter joins through the link. */
export async function invite(shop: Shop): Promise<Helper> {
  const { scene, ownerId } = shop
  const { page, context } = await scene.open()
  await signInAs(context, scene.server, ownerId)
  const email = `sam-of-${ownerId.toLowerCase().replaceAll('_', '-')}@example.com`
  await page.goto(`${scene.server.url}/dashboard/`)
  await goTo(page, 'Members')
  await button(page, 'Invite a team member').click()
  await dialog(page).getByLabel('Email').fill(email)
  // A click on the card selects its radio button.
  await dialog(page).getByText('Support', { exact: true }).click()
  await dialog(page).getByLabel('Selected projects', { exact: true }).check()
  await dialog(page).getByLabel('Garden').check()
  await button(page, 'Create invitation').click()
  await page.getByRole('heading', { name: 'Invitation created' }).waitFor()
  const { hash } = new URL(await copied(page, button(dialog(page), 'Copy')))
  return { ...shop, page: await join(scene, hash) }
}

async function join(scene: Scene, hash: string): Promise<Page> {
  const { page } = await scene.open()
  await page.goto(`${scene.server.url}/dashboard/${hash}`)
  await page.getByLabel('Your name').fill('Sam')
  await page.getByLabel('Password', { exact: true }).fill('another four plain words')
  await button(page, 'Join').click()
  await link(page, 'Garden').waitFor()
  return page
}

/**
 * The supporter finds a user by part of the Discord ID and by part of the key, reads the denial reason, and
 * allows the new device.
 */
export async function supportUser(helper: Helper): Promise<void> {
  const { page, key } = helper
  const check = { loader: helper.check, key }
  expect(await runScript({ ...check, device: 'OLD-LAPTOP' })).toMatchObject({ stdout: 'ready\n' })
  const refused = await runScript({ ...check, device: 'NEW-LAPTOP' })
  expect(refused.stderr).toContain('(fingerprint_mismatch)')
  const mistyped = await runScript({ ...check, key: MISTYPED, device: 'NEW-LAPTOP' })
  expect(mistyped.stderr).toContain('(invalid_key)')
  await link(page, 'Garden').click()
  await goTo(page, 'Users')
  const found = page
    .getByRole('table', { name: 'Users' })
    .getByRole('button', { name: `${key.slice(0, 8)}…` })
  for (const part of ['0991', key.slice(6, 20)]) {
    await page.getByRole('searchbox').fill(part)
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await found.waitFor()
  }
  await found.click()
  await dialog(page)
    .getByText(/^Denied once (today|in the last 24 hours): another device\.$/)
    .waitFor()
  await dialog(page).getByText('Denied: another device').waitFor()
  await tab(page, 'Devices').click()
  await button(dialog(page), 'Reset device').first().click()
  // Without the permission for bulk changes there is no undo, so the page asks for confirmation first.
  await button(dialog(page), 'Reset device').click()
  await page.getByText('No device is bound yet.').waitFor()
}

export async function extendKey({ page, key, expires, scene }: Helper): Promise<void> {
  await button(dialog(page), 'Extend').click()
  await dialog(page).getByLabel('Amount of time').fill('7')
  await dialog(page).getByLabel('Unit').selectOption('days')
  await button(dialog(page), 'Extend').click()
  await page.getByText('1 key extended.').waitFor()
  const row = await rowOf(scene.server, 'users', { key })
  expect(Number(row.key_expires)).toBe(expires + 7 * DAY_MS)
}

/** The supporter sees the session on the new device, and ends it. */
export async function kickSession(helper: Helper, signal: AbortSignal): Promise<void> {
  const { page } = helper
  const running: Promise<Outcome> = runScript({ ...helper, device: 'NEW-LAPTOP', signal })
  await tab(page, 'Live sessions').click()
  await dialog(page).getByText('Connected', { exact: true }).waitFor()
  await button(dialog(page), 'Disconnect').click()
  expect(await running).toMatchObject({ status: 1, stdout: 'started\nkick disconnected\n' })
  await dialog(page).getByText('No scripts are running.').waitFor()
  await button(dialog(page), 'Close').click()
}

/**
 * A key typed by a customer is masked, and pages beyond the supporter's permissions name the missing
 * permission.
 */
export async function meetLimits({ page, scene, secret }: Helper): Promise<void> {
  await goTo(page, 'Logs')
  await link(page, 'Denials').click()
  const list = page.getByRole('table', { name: 'Recent denials' })
  await button(list, 'Denied: missing or invalid key').click()
  await dialog(page)
    .getByText(`${MISTYPED.slice(0, 4)}…`, { exact: true })
    .waitFor()
  expect(await page.content()).not.toContain(MISTYPED)
  await dialog(page).getByText('check.lua', { exact: true }).waitFor()
  await button(dialog(page), 'Close').click()
  await readWhyClosed(page)
  for (const [room, right] of CLOSED) {
    await goTo(page, room)
    await page.getByRole('main').getByText(`(${right})`).first().waitFor()
  }
  await goTo(page, 'Settings')
  await button(page, 'Remove project').focus()
  await expect.poll(() => button(page, 'Remove project').getAttribute('aria-disabled')).toBe('true')
  await goTo(page, 'Users')
  await button(page, 'Bulk actions').click()
  const removal = page.getByRole('menuitem', { name: 'Remove all users…' })
  await expect.poll(() => removal.getAttribute('aria-disabled')).toBe('true')
  await page.goto(`${scene.server.url}/dashboard/#/projects/${secret}`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
}

/** The tooltip is next to the sidebar, so that it covers no other link. */
async function readWhyClosed(page: Page): Promise<void> {
  const bar = page.getByRole('navigation', { name: 'Pages' })
  await link(bar, 'Ads').hover()
  const why = page.getByRole('tooltip').filter({ hasText: 'ads:read', visible: true })
  const [edge, start] = await Promise.all([bar.boundingBox(), why.boundingBox()])
  expect(start?.x).toBeGreaterThan((edge?.x ?? 0) + (edge?.width ?? 0))
}

const CLOSED = [
  ['Ads', 'ads:read'],
  ['Webhooks', 'webhooks:read'],
  ['Members', 'members:read'],
  ['Tokens', 'tokens:read'],
  ['Audit log', 'audit:read'],
] as const
