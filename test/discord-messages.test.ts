/**
 * Tests how the Discord bot's messages look to users, by rendering them as a page. Screenshots go to the
 * folder in SCREENSHOTS, if set.
 */
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

/** Creates a project with a script, and a customer who is denied twice. */
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

/** Returns the messages to staff about a customer, a plan and a script. */
async function staffMessages({ scene, key, staff }: Awaited<ReturnType<typeof people>>) {
  const made = await scene.owner.post(`${scene.path}/plans/new`, {
    name: 'Premium',
    clock: { basis: 'creation', duration: 30 * 86_400_000 },
  })
  const plan = made.string('plan_id')
  await scene.addKey({ plan_id: plan })
  const given = await staff.command('key give', { user: '410000000000000009', plan, time: '3d' })
  const preview = await staff.command('key extend-all', { plan, time: '1w' })
  const confirmed = await staff.press(Object.values(preview.buttons)[0])
  const announced = await staff.command('announce', { text: 'Back at **ten**' })
  return {
    '/key give': given,
    '/key give, again': await staff.command('key give', { user: '410000000000000009', plan }),
    '/key extend': await staff.command('key extend', { user: JO, time: '1d12h' }),
    '/key extend, for how long?': await staff.command('key extend', { user: JO, time: 'soon' }),
    '/key pause': await staff.command('key pause', { user: JO }),
    '/key resume': await staff.command('key resume', { user: JO }),
    '/key find': await staff.command('key find', { text: 'paid' }),
    '/who': await staff.command('who', { key }),
    '/why': await staff.command('why', { user: JO }),
    '/key extend-all': preview,
    '/key extend-all, confirmed': confirmed,
    '/key extend-all, undone': await staff.press(Object.values(confirmed.buttons)[0]),
    '/ban': await staff.command('ban', { user: JO, time: '2w', reason: 'resold *the* key' }),
    '/unban': await staff.command('unban', { user: JO }),
    '/stats': await staff.command('stats'),
    '/errors': await staff.command('errors'),
    '/announce': announced,
    '/announce, confirmed': await staff.press(Object.values(announced.buttons)[0]),
    '/rollback': await staff.command('rollback', { script: 'main' }),
    '/leak': await staff.attach('leak', discord.addFile('cat.png', Buffer.from('not a script'))),
    '/key take': await staff.command('key take', { user: JO }),
  }
}

const dataOf = ({ json }: Seen) => json.data as Message

it('are readable on a phone and on a wide screen, and notify nobody', async () => {
  const all = await people()
  const { jo, staff, newKey, scene } = all
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
    'Get role': await jo.command('role'),
    '/panel, by a customer': await jo.command('panel'),
    ...(await staffMessages(all)),
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
