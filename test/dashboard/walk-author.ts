/**
 * Plays through an author's day: a script to sell, a buyer with a new laptop, a leaked copy, and visitors who
 * complete ad steps.
 */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { makeSetUpLink } from '../../packages/server/src/features/people/sign-in/set-up.ts'
import { createSystem, earn, newVisitor } from '../../packages/server/test/ads/scene.ts'
import type { Owner } from '../../packages/server/test/harness.ts'
import { component, ProtocolClient } from '../../packages/server/test/protocol/client.ts'
import { copied } from '../copied.ts'
import { button, dialog, goTo, link, menuItem, panel, runScript, type Scene, tab } from './walk-scene.ts'

const HELLO = `local function greet(name)
  for i = 1, 3 do print('hello ' .. name, i * 21) end
  return #name
end
greet('from the garden')
`
const SAID = 'hello from the garden\t21\nhello from the garden\t42\nhello from the garden\t63\n'

type Author = { readonly scene: Scene; readonly page: Page; readonly owner: Owner; readonly project: string }
type Bought = { readonly key: string; readonly loader: string }

/** Goes from the setup link to a project with a protected script. */
export async function setUp(scene: Scene): Promise<Author> {
  const owner = await scene.server.createCustomer()
  const setUpLink = await makeSetUpLink(scene.server.deps, owner.id)
  if (typeof setUpLink !== 'string') throw new Error(setUpLink.reason)
  const { page } = await scene.open()
  await page.goto(`${scene.server.url}/dashboard/${new URL(setUpLink).hash}`)
  await page.getByLabel('Email').fill(`${owner.id}@example.com`)
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Password', { exact: true }).fill('seven green bottles')
  await button(page, 'Create account').click()
  await page.getByLabel('Name', { exact: true }).fill('Garden')
  await button(page, 'Create project').click()
  const file = { name: 'garden.lua', mimeType: 'text/plain', buffer: Buffer.from(HELLO) }
  await page.getByLabel('Lua or Luau file').setInputFiles(file)
  await page.getByText('garden.lua is protected.').waitFor()
  const project = /projects\/(\w+)/.exec(page.url())?.[1] ?? ''
  return { scene, page, owner, project }
}

/** Generates 100 keys. The message for a buyer explains how to run the script. */
export async function sellKeys({ page }: Author): Promise<readonly [Bought, Bought]> {
  await goTo(page, 'Users')
  await button(page, 'Generate').click()
  await dialog(page).getByLabel('Number of keys').fill('100')
  await dialog(page).getByLabel('Note', { exact: true }).fill('Spring sale')
  await button(dialog(page), 'Generate').click()
  await page.getByRole('heading', { name: '100 keys generated' }).waitFor()
  const keys = (await copied(page, button(dialog(page), 'Copy all'))).split('\n')
  expect(new Set(keys).size).toBe(100)
  await button(dialog(page), 'Done').click()
  const [first = '', second = ''] = keys
  await openUser(page, first)
  await menuItem(page, 'Send to customer')
  await page.getByRole('heading', { name: 'Send key: Spring sale' }).waitFor()
  const message = await copied(page, button(dialog(page), 'Copy message'))
  expect(message).toContain(first)
  const [loader = ''] = /http\S+\/client\/v1\/loader\/\w+/.exec(message) ?? []
  await button(dialog(page), 'Done').click()
  await button(dialog(page), 'Close').click()
  const sold = (key: string) => ({ key, loader })
  return [sold(first), sold(second)]
}

/** Finds the user by the start of the key, which is what a buyer would read out. */
async function openUser(page: Page, key: string): Promise<void> {
  await page.getByRole('searchbox').fill(key.slice(0, 12))
  await page.getByRole('button', { name: `${key.slice(0, 8)}…` }).click()
}

/** A buyer is denied on a new laptop. The author reads the reason and allows the laptop. */
export async function helpBuyer({ page }: Author, bought: Bought): Promise<void> {
  expect(await runScript({ ...bought, device: 'OLD-LAPTOP' })).toMatchObject({ status: 0, stdout: SAID })
  const refused = await runScript({ ...bought, device: 'NEW-LAPTOP' })
  expect(refused).toMatchObject({ status: 1, stdout: '' })
  expect(refused.stderr).toContain('(fingerprint_mismatch)')
  await goTo(page, 'Overview')
  const newest = panel(page, 'Recent denials')
  await link(newest, 'Different device').waitFor()
  await link(newest, 'Open user').click()
  await tab(page, 'Activity').click()
  await dialog(page).getByText('Denied: another device').waitFor()
  await dialog(page)
    .getByText(/^Denied once (today|in the last 24 hours): another device\.$/)
    .waitFor()
  await button(dialog(page), 'Reset device').first().click()
  await page.getByText('Devices reset for 1 user.').waitFor()
  await tab(page, 'Devices').click()
  await page.getByText('No device is bound yet.').waitFor()
  await button(dialog(page), 'Close').click()
  expect(await runScript({ ...bought, device: 'NEW-LAPTOP' })).toMatchObject({ status: 0, stdout: SAID })
}

/** A leaked copy is traced to its key, which is then blocked. */
export async function traceLeak({ scene, page }: Author, { key, loader }: Bought): Promise<void> {
  const script = loader.split('/').at(-1) ?? ''
  const client = new ProtocolClient(scene.server.url)
  const buyer = { key, fp: { machine_id: component('laptop of the leaker') } }
  const { reply, keys, script: inline } = await client.run(script, buyer)
  if (!reply.ok) throw new Error(reply.reason)
  const leaked = inline ?? (await client.fetchScript(keys, reply))
  await goTo(page, 'Scripts')
  await link(page, 'garden.lua').click()
  await tab(page, 'Versions').click()
  await tab(page, 'Trace a leak').click()
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(leaked)})`)
  await page.getByRole('textbox', { name: 'Leaked copy' }).click()
  await page.keyboard.press('Control+V')
  await button(page, 'Find the source of the leak').click()
  await panel(page, 'Delivered to').getByText(key).waitFor()
  await link(page, 'Open user').click()
  await menuItem(page, 'Block')
  await dialog(page).getByLabel('Reason').fill('passed it on')
  await button(dialog(page), 'Block').click()
  await dialog(page).getByText('1 user blocked.').waitFor()
  await button(dialog(page), 'Close').click()
  expect(await client.verdict(script, buyer)).toBe('blacklisted')
}

/** Checks the results of an ad system. */
export async function countEarnings({ scene, page, owner, project }: Author): Promise<void> {
  const system = await createSystem(scene, ['a', 'c'], { name: 'Free keys' }, { owner, project })
  for (const visitor of [newVisitor(), newVisitor()]) await earn(scene, system, visitor)
  await goTo(page, 'Ads')
  await page.getByText('2 keys earned').waitFor()
  await link(page, 'Free keys').click()
  const funnel = panel(page, 'Funnel')
  await button(funnel, 'Show as table').click()
  await funnel
    .getByRole('row', { name: /Step c/ })
    .getByText('100%')
    .waitFor()
  await panel(page, 'Visitors by day').getByText('Claimed a key: 2').waitFor()
}

/** Checks the day's figures: three granted runs, and a reason for each denial. */
export async function lookBack({ page }: Author): Promise<void> {
  await goTo(page, 'Overview')
  const why = panel(page, 'Denials by reason')
  await link(why, 'Different device').waitFor()
  await link(why, 'Blocked').waitFor()
}
