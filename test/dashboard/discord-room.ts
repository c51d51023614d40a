/** Test setup for the Discord page: an author in a real browser, with a real server and a fake Discord. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { FakeDiscord, SERVER, STAFF_ROLE } from '../../packages/server/test/chat/fake-discord.ts'
import { createOwner, type Owned } from '../../packages/server/test/nouns.ts'
import type { Seat } from '../../packages/server/test/people.ts'
import { signInAs } from '../sign-in.ts'
import { ownStage, type Stage } from './stage.ts'

/**
 * This host doesn't exist. Only the fake Discord sends requests to this URL, and it finds the server by port.
 */
const BASE_URL = 'http://ward.example.com'
/** A long name in two writing systems. */
export const OTHER_SERVER = `حديقة ${'Second garden '.repeat(5)}`

export type DiscordRoom = {
  readonly stage: Stage
  readonly discord: FakeDiscord
  /** Makes the bot leave all servers. */
  leaveServers(): void
  /** Makes the bot join a second server. */
  joinAnother(): void
  /** Installs a bot, with a role for staff. */
  connect(owned: Pick<Owned, 'owner' | 'project'>): Promise<void>
  /** Creates a project with an installed bot. */
  connected(): Promise<Owned>
  visit(owned: Owned, seat?: Seat): Promise<Page>
}

/** Each test starts with a bot that has joined one server. */
export async function discordRoom(): Promise<DiscordRoom> {
  const discord = await new FakeDiscord(Date.now).open()
  const [first] = discord.servers
  const stage = ownStage({ config: { discordUrl: discord.url, baseUrl: BASE_URL } })
  beforeAll(() => {
    discord.serverUrl = stage.server.url
  })
  beforeEach(() => {
    stage.server.clock.now = Date.now()
    discord.outage = undefined
    discord.servers.splice(0, Number.POSITIVE_INFINITY, ...(first ? [first] : []))
  })
  afterAll(() => discord.close())
  const connect: DiscordRoom['connect'] = async ({ owner, project }) => {
    const path = `/v1/projects/${project}/discord`
    const answers = [
      await owner.post(`${path}/connect`, { bot_token: discord.token }),
      await owner.post(`${path}/install`, { server_id: SERVER }),
      await owner.post(`${path}/edit`, { staff: [{ chat_role_id: STAFF_ROLE, role: 'support' }] }),
    ]
    for (const { status, text } of answers) if (status !== 200) throw new Error(text)
  }
  return {
    stage,
    discord,
    leaveServers: () => void discord.servers.splice(0),
    joinAnother: () =>
      void discord.servers.push({
        ...{ id: '301245678901239999', name: OTHER_SERVER, members: new Map() },
        roles: [{ id: '301245678901239998', name: 'Helper', position: 1 }],
      }),
    connect,
    async connected() {
      const owned = await createOwner(stage.server)
      await connect(owned)
      return owned
    },
    async visit({ owner, project }, seat) {
      const context = await stage.browser.newContext({ viewport: { width: 1280, height: 860 } })
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.server.url })
      await signInAs(context, stage.server, owner.id, seat)
      const page = await context.newPage()
      await page.goto(`${stage.server.url}/dashboard/#/projects/${project}/discord`)
      await page.getByRole('heading', { level: 1, name: 'Discord' }).waitFor()
      return page
    },
  }
}

/** Types the bot token into the dialog and connects. */
export async function pasteToken(page: Page, token: string): Promise<void> {
  const form = page.locator('[data-form="discord-token"]')
  await form.getByLabel('Bot token', { exact: true }).fill(token)
  await form.getByRole('button', { name: 'Connect bot' }).click()
}
