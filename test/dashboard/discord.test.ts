/**
 * Tests the Discord page in a real browser with a fake Discord: connecting, inviting, installing, choosing
 * staff and disconnecting.
 */
import { describe, expect, it } from 'vitest'
import { chainEntries } from '../../packages/server/src/features/audit/chain.ts'
import { CUSTOMER_ROLE, HIGH_ROLE, SERVER, STAFF_ROLE } from '../../packages/server/test/chat/fake-discord.ts'
import { discordScene } from '../../packages/server/test/chat/scene.ts'
import type { Owner } from '../../packages/server/test/harness.ts'
import { createOwner } from '../../packages/server/test/nouns.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import { findBarriers } from '../browser.ts'
import { copied } from '../copied.ts'
import { discordRoom, OTHER_SERVER, pasteToken } from './discord-room.ts'
import { button, dialog, submit } from './users-steps.ts'

const { stage, discord, leaveServers, joinAnother, connected, visit } = await discordRoom()

const readBot = async (owner: Owner, project: string) =>
  (await owner.get(`/v1/projects/${project}/discord`)).body.discord as Record<string, unknown> | null
const panel = (page: Awaited<ReturnType<typeof visit>>, name: string) =>
  page.getByRole('region', { name, exact: true })

describe('a bot', () => {
  it('is connected with its token alone, invited, and installed', async () => {
    leaveServers()
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    const portal = page.getByRole('link', { name: 'Open the Discord Developer Portal' })
    await expect.poll(() => portal.getAttribute('href')).toBe('https://discord.com/developers/applications')
    await button(page, 'Connect bot').click()
    await pasteToken(page, discord.token)
    await page.getByText('Garden is connected.').first().waitFor()
    await panel(page, 'Garden').getByText('Not in a server yet').waitFor()
    const invite = page.getByRole('link', { name: 'Invite the bot' })
    await expect.poll(() => invite.getAttribute('href')).toContain('client_id=184650129374650213')
    await button(page, 'Install').click()
    await page.getByText("The bot isn't in a server yet. Invite it, then install it.").first().waitFor()

    joinAnother()
    await button(page, 'Install').click()
    await panel(page, 'Garden').getByText('Ready', { exact: true }).waitFor()
    await page.getByText('type /panel in the channel').waitFor()
    expect(await readBot(owned.owner, owned.project)).toMatchObject({ server: { name: OTHER_SERVER } })
    const endpoint = await copied(page, button(page, 'Copy'))
    expect(endpoint).toMatch(/^http:\/\/ward\.example\.com\/hooks\/discord\/prj_/)
  })

  it('is refused with a reason beside the token, which is kept nowhere', async () => {
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    await button(page, 'Connect bot').click()
    await pasteToken(page, 'not a token')
    await dialog(page).getByText('It has three parts, separated by dots.').waitFor()
    const wrong = 'MTg0NjUwMTI5Mzc0NjUwMjEz.wrong.token-of-another-bot'
    await pasteToken(page, wrong)
    await dialog(page).getByText('Discord rejected the bot token.').waitFor()
    const field = dialog(page).getByLabel('Bot token', { exact: true })
    expect(await field.getAttribute('type')).toBe('password')
    expect(await field.inputValue()).toBe(wrong)
    expect(
      await page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })'),
    ).not.toContain('wrong')
    expect(await readBot(owned.owner, owned.project)).toBe(null)
  })

  it('of several servers works in the chosen one', async () => {
    joinAnother()
    const owned = await createOwner(stage.server)
    const page = await visit(owned)
    await button(page, 'Connect bot').click()
    await pasteToken(page, discord.token)
    const install = button(page, 'Install')
    await expect.poll(() => install.getAttribute('aria-disabled')).toBe('true')
    await panel(page, 'Garden').getByLabel('Server').selectOption(OTHER_SERVER)
    await install.click()
    await panel(page, 'Garden').getByText('Ready', { exact: true }).waitFor()
    await button(page, 'Add role').click()
    await expect.poll(() => page.getByLabel('Discord role').textContent()).toContain('Helper')
  })

  it('with a failed request says what to do, until it is installed again', async () => {
    const owned = await connected()
    discord.serverUrl = 'http://127.0.0.1:1'
    await owned.owner.post(`/v1/projects/${owned.project}/discord/install`, {})
    discord.serverUrl = stage.server.url
    const page = await visit(owned)
    await panel(page, 'Garden').getByText('Needs attention').waitFor()
    await page.getByText('Discord could not reach this server. Check that the public URL works').waitFor()
    await button(page, 'Install again').click()
    await panel(page, 'Garden').getByText('Ready', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('Discord could not reach this server.').count()).toBe(0)
  })

  it('keeps its server and staff with a new token, and is gone once disconnected', async () => {
    const owned = await connected()
    const page = await visit(owned)
    await button(page, 'Replace token…').click()
    await pasteToken(page, discord.token)
    await dialog(page).waitFor({ state: 'detached' })
    expect(await readBot(owned.owner, owned.project)).toMatchObject({
      server: { name: 'Garden' },
      staff: [{ chat_role_id: STAFF_ROLE, role: 'support' }],
    })
    await button(page, 'Disconnect…').click()
    await submit(page, 'Disconnect')
    await page.getByRole('heading', { name: 'Connect your bot' }).waitFor()
    expect(await readBot(owned.owner, owned.project)).toBe(null)
  })

  it('can be connected with the keyboard alone, and has no barriers', async () => {
    const page = await visit(await createOwner(stage.server))
    await button(page, 'Connect bot').focus()
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await page.keyboard.type(discord.token)
    await page.keyboard.press('Enter')
    await panel(page, 'Garden').getByText('Ready', { exact: true }).waitFor()
    expect(await findBarriers(page)).toEqual([])
  })
})

describe('staff', () => {
  it('is a list of Discord roles with permissions, which is saved as a whole', async () => {
    const owned = await connected()
    const page = await visit(owned)
    const roles = panel(page, 'Staff').getByLabel('Discord role')
    await expect.poll(() => roles.locator('option:checked').allTextContents()).toEqual(['Support'])
    await button(page, 'Add role').click()
    await panel(page, 'Staff').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Choose a Discord role.').waitFor()
    await roles.nth(1).selectOption('Founder')
    await panel(page, 'Staff').getByLabel('Permissions').nth(1).selectOption('Admin')
    await button(page, 'Remove Support').click()
    await panel(page, 'Staff').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Staff saved.').first().waitFor()
    expect(await readBot(owned.owner, owned.project)).toMatchObject({
      staff: [{ chat_role_id: HIGH_ROLE, role: 'admin' }],
    })
  })

  it('is shown without the names of roles while Discord does not answer', async () => {
    const owned = await connected()
    discord.outage = '500'
    const page = await visit(owned)
    await panel(page, 'Staff').getByText('Discord could not be reached. Try again').waitFor()
    await panel(page, 'Staff').getByText(`Role ${STAFF_ROLE}`).waitFor({ state: 'attached' })
    discord.outage = undefined
    await panel(page, 'Staff').getByRole('button', { name: 'Try again' }).click()
    await panel(page, 'Staff').getByText('Founder').waitFor({ state: 'attached' })
  })

  it('can be read but not changed without the permission, which is named', async () => {
    const owned = await connected()
    const page = await visit(owned, { role: 'reader' })
    await panel(page, 'Staff').getByText(STAFF_ROLE).waitFor()
    await panel(page, 'Staff').getByText('(projects:write)').waitFor()
    for (const name of ['Install again', 'Replace token…', 'Disconnect…'])
      await expect.poll(() => button(page, name).getAttribute('aria-disabled')).toBe('true')
  })
})

it('roles that could not be given are listed with names and what to do', async () => {
  const owned = await connected()
  const account = { project_id: owned.project, chat_id: '410000000000000001' }
  const row = { ...account, server_id: SERVER, changed_at: Date.now() }
  await insertRows(stage.server, 'discord_roles', [
    { ...row, role_id: HIGH_ROLE, is_given: 0, problem: 'role_too_high' },
    { ...row, role_id: CUSTOMER_ROLE, is_given: 1, problem: null },
  ])
  const page = await visit(owned)
  await page.getByText('1 role assigned by the bot.').waitFor()
  const problem = page.getByRole('table', { name: "Roles that couldn't be changed" }).getByRole('row')
  await button(page, 'Compare now').click()
  await page.getByText('Comparing roles.').waitFor()
  await problem.filter({ hasText: 'Founder' }).getByText("drag the bot's role above it").waitFor()
  await problem.getByRole('link', { name: '410000000000000001' }).click()
  await expect.poll(() => page.url()).toContain('users?chat_id=410000000000000001')
})

it('the settings and the list of members lead to the bot', async () => {
  const owned = await createOwner(stage.server)
  const page = await visit(owned)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await page.getByRole('link', { name: 'Set up your Discord bot' }).click()
  await page.getByRole('heading', { level: 1, name: 'Discord' }).waitFor()
})

it('a change by someone on Discord names them in the audit log and in the history of the user', async () => {
  const { owner, projectId, person, addKey } = await discordScene(stage.server, discord)
  const key = await addKey({ note: 'first friend' })
  await person('410000000000000001', { name: 'jo' }).command('redeem', { key })
  await chainEntries(stage.server.deps)
  const page = await visit({ owner, project: projectId })
  await page.goto(`${stage.server.url}/dashboard/#/audit`)
  await page.locator('details.entry summary', { hasText: /jo on Discord linked a Discord account/ }).waitFor()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${projectId}/users/${key}`)
  await page.getByText('By jo on Discord').first().waitFor()
})
