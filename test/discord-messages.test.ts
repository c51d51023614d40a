/** What people see of the Discord bot, drawn as a page. Screenshots go to the folder in SCREENSHOTS, if set. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeDiscord, STAFF_ROLE } from '../packages/server/test/chat/fake-discord.ts'
import { discordScene, type Seen } from '../packages/server/test/chat/scene.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { START, startServer, type TestServer } from '../packages/server/test/harness.ts'
import { makeScene } from '../packages/server/test/protocol/scene.ts'
import { findBarriers, findCut, isTooWide, picture } from './browser.ts'
import { drawMessages, type Message } from './chat/draw-messages.ts'
import { openWindows } from './windows.ts'

const JO = '410000000000000001'
const KIM = '410000000000000002'
let server: TestServer
const discord = new FakeDiscord(() => server.clock.now)
const browser = openWindows()

beforeAll(async () => {
  await discord.open()
  const config = { discordUrl: discord.url, baseUrl: 'https://ward.example.com' }
  server = await startServer(sqlite, { config })
  discord.serverUrl = server.url
})
afterAll(async () => {
  await server.close()
  await discord.close()
})

/** A project with a script, and a customer who was denied twice. */
async function people() {
  server.clock.now = START
  const made = await makeScene(server)
  const scene = await discordScene(server, discord, made)
  const key = await scene.addKey({
    chat_id: JO,
    note: 'paid **in** full',
    key_expires: START + 30 * 86_400_000,
  })
  await made.client.run(made.scriptId, { key })
  await made.client.run(made.scriptId, { key, fp: {} })
  const staff = scene.person(KIM, { roles: [STAFF_ROLE], name: 'kim' })
  return { scene, key, jo: scene.person(JO), staff, newKey: await scene.addKey() }
}

const dataOf = ({ json }: Seen) => json.data as Message

it('are readable on a phone and on a wide screen, and notify nobody', async () => {
  const { jo, staff, newKey, scene } = await people()
  const stranger = scene.person('410000000000000003')
  const seen: Record<string, Seen> = {
    '/panel': await staff.command('panel', { title: 'Garden', text: 'Get your script here. @everyone' }),
    'My key': await jo.command('mykey'),
    'Get script': await jo.command('script'),
    'Why was I denied?': await jo.command('denied'),
    'Reset device': await jo.command('reset'),
    'Reset device, again': await jo.command('reset'),
    'Redeem key, of someone who has one': await jo.command('redeem', { key: newKey }),
    'My key, without one': await stranger.command('mykey'),
    'Redeem key': await stranger.command('redeem', { key: newKey }),
    '/panel, by a customer': await jo.command('panel'),
  }
  const page = await browser.newPage()
  const drawn = drawMessages(
    Object.fromEntries(Object.entries(seen).map(([name, one]) => [name, dataOf(one)])),
  )
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await page.setContent(drawn)
    await picture(page, `discord-messages-${width}`)
    expect(await isTooWide(page)).toBe(false)
    expect(await findCut(page)).toEqual([])
  }
  expect(await findBarriers(page)).toEqual([])
})
