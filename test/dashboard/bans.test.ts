/** Tests blocks and shared keys in a real browser, from a user's record and on the Blocks page. */
import { describe, expect, it } from 'vitest'
import { bindDevice } from '../../packages/server/test/nouns.ts'
import { signInAs } from '../sign-in.ts'
import { sharedStage } from './stage.ts'
import { act, button, DAY_MS, dialog, open, row, submit, withUsers } from './users-steps.ts'

const stage = sharedStage()

type Owned = Awaited<ReturnType<typeof withUsers>>

async function openBans({ owner, project }: Owned, query = '') {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owner.id)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/bans${query}`)
  return page
}

const ban = ({ owner, project }: Owned, members: object) =>
  owner.post(`/v1/projects/${project}/bans/new`, members)
const bansOf = async ({ owner, project }: Owned) =>
  (await owner.get(`/v1/projects/${project}/bans`)).body.bans as readonly object[]

/** Simulates executions of a key on this many networks. */
async function share({ project }: Owned, key: string, networks: number) {
  await stage.server.deps.db.transaction(async (tx) => {
    const { seq } = await tx
      .selectFrom('users')
      .select('seq')
      .where('key', '=', key)
      .executeTakeFirstOrThrow()
    await tx.updateTable('users').set({ executions: 9 }).where('seq', '=', seq).execute()
    const seen = { user_seq: seq, project_id: project, seen_at: stage.server.clock.now }
    await tx
      .insertInto('user_networks')
      .values({ ...seen, network: '4cb007100', networks, refused_devices: 3 })
      .execute()
  })
}

describe('from the drawer of a user', () => {
  it('the device can be blocked after a preview of the affected users', async () => {
    const owned = await withUsers(stage, 'cheater', 'their other key')
    const [key = ''] = owned.keys
    for (const each of owned.keys) await bindDevice(stage.server, owned.project, each)
    const page = await open(stage, owned, { query: `?user=${key}` })
    await act(page, 'Block device, network or account…')
    await dialog(page)
      .getByText('Affects 2 users, based on their last run or bound device. No runs are affected right now.')
      .waitFor()
    await dialog(page).getByLabel('Reason').fill('cheats')
    await submit(page, 'Block')
    await page
      .getByText(/is blocked\.$/)
      .first()
      .waitFor()
    expect(await bansOf(owned)).toMatchObject([
      { kind: 'device', user_key: key, reason: 'cheats', expires: null },
    ])
  })

  it('every affected key is shown as blocked in list, counts and drawer, with the reason and a link to the block', async () => {
    const owned = await withUsers(stage, 'cheater', 'their other key', 'somebody else')
    const [key = '', second = ''] = owned.keys
    for (const each of [key, second]) await bindDevice(stage.server, owned.project, each)
    await ban(owned, { kind: 'device', user_key: key, reason: 'cheats' })
    const page = await open(stage, owned)
    await button(page, 'Blocked 2').click()
    await row(page, 'cheater').getByText('Blocked').waitFor()
    await row(page, 'their other key').getByText('Blocked').waitFor()
    await expect.poll(() => page.getByText('somebody else').count()).toBe(0)
    await page.goto(`${stage.server.url}/dashboard/#/projects/${owned.project}/users?user=${second}`)
    await page.locator('dialog.drawer').getByText('Blocked: device').waitFor()
    await page.getByText('Reason: cheats. Never ends.').waitFor()
    await page.getByRole('link', { name: 'View block' }).click()
    await dialog(page)
      .getByText(/^Edit block:/)
      .waitFor()
  })

  it('an unknown network is reported, and a Discord account is offered if there is one', async () => {
    const owned = await withUsers(stage, 'calm')
    const page = await open(stage, owned, { query: `?user=${owned.keys[0]}` })
    await act(page, 'Block device, network or account…')
    const kind = dialog(page).getByLabel('Type')
    await expect.poll(() => kind.locator('option').allTextContents()).toEqual(['Device', 'Network'])
    await kind.selectOption('network')
    await dialog(page).getByText('so its network is unknown.').waitFor()
    expect(await bansOf(owned)).toEqual([])
  })

  it('key sharing is shown and can be filtered', async () => {
    const owned = await withUsers(stage, 'passed around', 'alone')
    await share(owned, owned.keys[0] ?? '', 9)
    await share(owned, owned.keys[1] ?? '', 2)
    const page = await open(stage, owned, { query: '?shared=true' })
    await row(page, 'passed around').getByText('Shared').waitFor()
    await expect.poll(() => row(page, 'alone').count()).toBe(0)
    await page.goto(`${stage.server.url}/dashboard/#/projects/${owned.project}/users?user=${owned.keys[0]}`)
    await page.locator('dialog.drawer').getByText('9 networks in 7 days, 3 other devices denied').waitFor()
    await page.locator('dialog.drawer').getByText('Shared', { exact: true }).waitFor()
  })
})

describe('the Blocks page', () => {
  it('blocks a typed network, and rejects one that is too wide', async () => {
    const owned = await withUsers(stage)
    const page = await openBans(owned)
    await button(page, 'Add block').click()
    await dialog(page).getByLabel('IP address or network').fill('203.0.0.0/8')
    await submit(page, 'Preview')
    await dialog(page).getByText('is too wide').waitFor()
    await dialog(page).getByLabel('IP address or network').fill('203.0.113.9/24')
    await submit(page, 'Preview')
    await dialog(page).getByText('This blocks 203.0.113.0/24.').waitFor()
    await dialog(page).getByLabel('Expires').selectOption('in')
    await submit(page, 'Block')
    await page.getByRole('listitem').getByText('203.0.113.0/24').waitFor()
    const [made] = (await bansOf(owned)) as { expires: number }[]
    expect(made?.expires).toBeGreaterThan(stage.server.clock.now + 29 * DAY_MS)
  })

  it('links to the blocked users, who are not in its list', async () => {
    const owned = await withUsers(stage, 'cheater', 'paid')
    await owned.owner.post(`/v1/users/${owned.keys[0]}/blacklist`, { expires: null, reason: 'chargeback' })
    const page = await openBans(owned)
    await page.getByText('No blocks yet').waitFor()
    await page.getByRole('link', { name: '1 blocked user' }).click()
    await row(page, 'cheater').waitFor()
    await expect.poll(() => row(page, 'paid').count()).toBe(0)
  })

  it('shows an existing block instead of creating a second one', async () => {
    const owned = await withUsers(stage)
    await ban(owned, { kind: 'chat', value: '4711' })
    const page = await openBans(owned)
    await button(page, 'Add block').click()
    await dialog(page).getByLabel('Type').selectOption('chat')
    await dialog(page).getByLabel('Discord ID').fill('4711')
    await submit(page, 'Preview')
    await dialog(page).getByText('Already blocked.').waitFor()
    await expect
      .poll(() => dialog(page).getByRole('button', { name: 'Block', exact: true }).isDisabled())
      .toBe(true)
  })

  it('lists blocks by kind, edits and removes them', async () => {
    const owned = await withUsers(stage)
    await ban(owned, { kind: 'chat', value: '4711', reason: 'spam' })
    await ban(owned, { kind: 'network', value: '203.0.113.7' })
    const page = await openBans(owned)
    await page.getByRole('listitem').getByText('203.0.113.7/32').waitFor()
    await button(page, 'Discord account').click()
    await expect.poll(() => page.getByRole('list', { name: 'Blocks' }).getByRole('listitem').count()).toBe(1)
    await button(page, 'Edit: 4711')
      .or(page.getByRole('button', { name: /Edit.*4711/ }))
      .first()
      .click()
    await dialog(page).getByLabel('Reason').fill('spam in every channel')
    await submit(page, 'Save')
    await page.getByText('spam in every channel').waitFor()
    await page.getByRole('button', { name: /Unblock.*4711/ }).click()
    await submit(page, 'Unblock')
    await page.getByText('No matches').or(page.getByText('No blocks yet')).first().waitFor()
    expect(await bansOf(owned)).toMatchObject([{ value: '203.0.113.7/32' }])
  })

  it('saves only the changed field, and keeps the end that somebody else has set in the meantime', async () => {
    const owned = await withUsers(stage)
    const made = await ban(owned, { kind: 'chat', value: '4711', reason: 'spam' })
    const { id } = made.body.ban as { id: string }
    const page = await openBans(owned, `?ban=${id}`)
    await dialog(page).getByLabel('Reason').fill('spam in every channel')
    const expires = stage.server.clock.now + 2 * DAY_MS
    await owned.owner.post(`/v1/projects/${owned.project}/bans/${id}/edit`, { expires })
    await page.route('**/edit', (route) => route.abort())
    const isRead = page.waitForResponse((answer) => answer.url().endsWith(`/bans/${id}`))
    await submit(page, 'Save')
    await dialog(page).getByText("Can't reach the server.").waitFor()
    await isRead
    await page.unroute('**/edit')
    await submit(page, 'Save')
    await page.getByText('spam in every channel').waitFor()
    expect(await bansOf(owned)).toMatchObject([{ reason: 'spam in every channel', expires }])
  })

  it('reports that a block was removed in the meantime', async () => {
    const owned = await withUsers(stage)
    const page = await openBans(owned, '?ban=ban_none')
    await dialog(page).getByText('This block has expired or was removed.').waitFor()
  })
})
