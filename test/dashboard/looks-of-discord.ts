/**
 * Lists the states of the Discord page: before and after the bot is connected, with and without problems,
 * failing, and read-only.
 */
import type { Page } from 'playwright-core'
import { CUSTOMER_ROLE, HIGH_ROLE, SERVER } from '../../packages/server/test/chat/fake-discord.ts'
import { createOwner, createProject } from '../../packages/server/test/nouns.ts'
import { insertRows } from '../../packages/server/test/stored.ts'
import { type DiscordRoom, pasteToken } from './discord-room.ts'
import { panel } from './forms.ts'
import type { Room } from './inspect.ts'
import { goTo } from './looks-of-users.ts'
import { button, dialog, submit } from './users-steps.ts'

const PROBLEMS = ['role_too_high', 'no_permission', 'member_left', 'role_removed'] as const

/** Changes values in the server's response, for states that only the server's operator can cause. */
async function answerWith(page: Page, changes: object): Promise<void> {
  await page.route('**/discord', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), ...changes } })
  })
  await page.reload()
}

const before =
  ({ discord, leaveServers, joinAnother }: DiscordRoom): Room =>
  async (stage) => {
    leaveServers()
    const { owner, project } = await createOwner(stage.server)
    const bot = { ...(await owner.get(`/v1/projects/${await createProject(owner)}/discord`)).body }
    return {
      account: owner.id,
      address: `#/projects/${project}/discord`,
      states: {
        'three steps': (page) => button(page, 'Connect bot').waitFor(),
        'a wrong token': async (page) => {
          await button(page, 'Connect bot').click()
          await pasteToken(page, 'no token')
          await dialog(page).getByText('It has three parts').waitFor()
        },
        'not invited': async (page) => {
          await pasteToken(page, discord.token)
          await page.getByText('Not in a server yet').waitFor()
        },
        'several servers': async (page) => {
          joinAnother()
          joinAnother()
          await page.reload()
          await page.getByLabel('Server').waitFor()
        },
        'turned off': async (page) => {
          await answerWith(page, { ...bot, unavailable: 'turned_off' })
          await page.getByText('Discord bots are turned off on this server.').first().waitFor()
        },
        'without a public URL': async (page) => {
          await page.unrouteAll()
          await answerWith(page, { ...bot, unavailable: 'no_base_url' })
          await page.getByText("its public URL isn't set").waitFor()
          await page.unrouteAll()
        },
      },
    }
  }

const after =
  ({ discord, connected }: DiscordRoom): Room =>
  async (stage) => {
    const { owner, project } = await connected()
    const common = { project_id: project, server_id: SERVER, changed_at: Date.now() - 3_600_000 }
    const rows = PROBLEMS.map((problem, at) => ({
      ...{ ...common, chat_id: `41000000000000000${at}`, is_given: 0 as const, problem },
      role_id: at === 3 ? '301245678901239990' : HIGH_ROLE,
    }))
    return {
      account: owner.id,
      address: `#/projects/${project}/discord`,
      states: {
        ready: (page) => page.getByText('Founder').first().waitFor({ state: 'attached' }),
        'a row of staff without a role': async (page) => {
          await button(page, 'Add role').click()
          await button(page, 'Save').click()
          await page.getByText('Choose a Discord role.').waitFor()
        },
        'asked before it is disconnected': async (page) => {
          await button(page, 'Disconnect…').click()
          await dialog(page).getByText('all commands stop working').waitFor()
        },
        'with role problems': async (page) => {
          await submit(page, 'Cancel')
          await insertRows(stage.server, 'discord_roles', [
            ...rows,
            { ...common, chat_id: '42', role_id: CUSTOMER_ROLE, is_given: 1, problem: null },
          ])
          await page.reload()
          await page.getByRole('heading', { name: "Roles that couldn't be changed" }).waitFor()
          await button(page, 'Discard').click()
          await submit(page, 'Discard')
        },
        'without an answer of Discord': async (page) => {
          discord.outage = '500'
          await page.reload()
          await button(page, 'Try again').waitFor()
          discord.outage = undefined
        },
        failing: async (page) => {
          await page.route('**/discord', (route) => route.abort())
          await page.reload()
          await button(page, 'Try again').first().waitFor()
          await page.unrouteAll()
        },
      },
    }
  }

const readOnly =
  ({ connected }: DiscordRoom): Room =>
  async () => {
    const { owner, project } = await connected()
    return {
      account: owner.id,
      seat: { role: 'reader' },
      address: `#/projects/${project}/discord`,
      states: {
        'with a bot': (page) => panel(page, 'Staff').getByText('(projects:write)').waitFor(),
        'without a bot': async (page) => {
          await goTo(page, `#/projects/${await createProject(owner)}/discord`)
          await page.getByRole('heading', { name: 'Connect your bot' }).waitFor()
        },
      },
    }
  }

export function roomsOfDiscord(room: DiscordRoom): Readonly<Record<string, Room>> {
  return {
    'a Discord bot before it works': before(room),
    'a connected Discord bot': after(room),
    'a Discord bot for readers': readOnly(room),
  }
}
