/** Tests a plan's Discord role, which is chosen in a real browser from the roles of a fake Discord. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  CUSTOMER_ROLE,
  FakeDiscord,
  HIGH_ROLE,
  SERVER,
  VIP_ROLE,
} from '../../packages/server/test/chat/fake-discord.ts'
import { createOwner, type Owned } from '../../packages/server/test/nouns.ts'
import { signInAs } from '../sign-in.ts'
import { ownStage } from './stage.ts'
import { button, createPlan, dialog, submit } from './users-steps.ts'

const discord = new FakeDiscord()
const config = { discordUrl: '' }
beforeAll(async () => {
  config.discordUrl = (await discord.open()).url
})
afterAll(() => discord.close())
const stage = ownStage({ config })

async function open({ owner, project }: Owned) {
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
  await signInAs(context, stage.server, owner.id)
  const page = await context.newPage()
  await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/plans`)
  await button(page, 'Edit Pro').click()
  return page
}

/** The server in this test has no public URL, so Discord can't install the bot. */
async function connect({ owner, project }: Owned) {
  await owner.post(`/v1/projects/${project}/discord/connect`, { bot_token: discord.token })
  await stage.server.deps.db.transaction(async (tx) => {
    const bots = tx.updateTable('discord_bots').where('project_id', '=', project)
    await bots.set({ server_id: SERVER, server_name: 'Garden' }).execute()
  })
}

async function roleOf({ owner }: Owned, id: string) {
  return ((await owner.get(`/v1/plans/${id}`)).body.plan as { chat_role_id: string | null }).chat_role_id
}

it('a plan gets a role that the bot can give, and loses it again', async () => {
  const owned = await createOwner(stage.server)
  await connect(owned)
  await owned.owner.post(`/v1/projects/${owned.project}/discord/edit`, {
    staff: [{ chat_role_id: VIP_ROLE, role: 'support' }],
  })
  const id = await createPlan(owned, { name: 'Pro' })
  const page = await open(owned)
  const role = dialog(page).getByLabel('Discord role', { exact: true })
  await expect.poll(() => role.locator('option').allTextContents()).toEqual(['None', 'Support', 'Customer'])
  await role.selectOption('Customer')
  await submit(page, 'Save')
  await expect.poll(() => roleOf(owned, id)).toBe(CUSTOMER_ROLE)
  const again = await open(owned)
  const chosen = dialog(again).getByLabel('Discord role', { exact: true })
  await expect.poll(() => chosen.inputValue()).toBe(CUSTOMER_ROLE)
  await chosen.selectOption('None')
  await submit(again, 'Save')
  await expect.poll(() => roleOf(owned, id)).toBe(null)
})

it('a role that the bot can’t give stays visible, and an outage of Discord loses nothing', async () => {
  const owned = await createOwner(stage.server)
  await connect(owned)
  const id = await createPlan(owned, { name: 'Pro', chat_role_id: HIGH_ROLE })
  const page = await open(owned)
  const role = dialog(page).getByLabel('Discord role', { exact: true })
  await role.getByText("Founder (the bot can't assign it)").waitFor({ state: 'attached' })
  discord.outage = '500'
  const later = await open(owned)
  await dialog(later).getByText("couldn't be loaded from Discord").waitFor()
  await dialog(later).getByLabel('Name', { exact: true }).fill('Pro 2')
  await submit(later, 'Save')
  await later.getByText('Plan saved.').waitFor()
  discord.outage = undefined
  expect(await roleOf(owned, id)).toBe(HIGH_ROLE)
})

it('a project without a bot has no field for a role', async () => {
  const owned = await createOwner(stage.server)
  await createPlan(owned, { name: 'Pro' })
  const page = await open(owned)
  await dialog(page).getByText('Resellers can issue keys on this plan').waitFor()
  expect(await dialog(page).getByLabel('Discord role').count()).toBe(0)
})
