/**
 * Tests the commands for the Discord bot: connecting, installing, choosing staff and disconnecting. The bot's
 * token never appears in an argument.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeDiscord, SERVER, STAFF_ROLE } from '../packages/server/test/chat/fake-discord.ts'
import { sqlite } from '../packages/server/test/databases.ts'
import { startServer, type TestServer } from '../packages/server/test/harness.ts'
import { createOwner } from '../packages/server/test/nouns.ts'
import { commandFolder, type Folder, inShell } from './command-line-scene.ts'

const discord = new FakeDiscord(() => server.clock.now)
let server: TestServer
let folder: Folder
let env: Record<string, string>

beforeAll(async () => {
  await discord.open()
  const config = { discordUrl: discord.url, baseUrl: 'http://ward.example.com' }
  server = await startServer(sqlite, { config })
  discord.serverUrl = server.url
  folder = commandFolder(() => env)
})
afterAll(async () => {
  folder.remove()
  await server.close()
  await discord.close()
})

async function project() {
  const { owner, project } = await createOwner(server)
  env = { SCRIPTWARD_URL: server.url, SCRIPTWARD_TOKEN: owner.apiKey }
  return (...words: string[]) => folder.run(['discord', ...words, '--project', project])
}

it('a bot is connected with a token from a file, invited, installed, staffed and disconnected', async () => {
  const [garden] = discord.servers.splice(0)
  const run = await project()
  expect((await run()).stderr).toContain('This project has no Discord bot yet.')
  folder.write('token.txt', `${discord.token}\n`)
  const connected = await run('connect', '--token-file', 'token.txt')
  expect(connected).toMatchObject({ status: 0, stdout: 'connected Garden\n' })
  expect(connected.stderr).toContain('Invite the bot at https://discord.com/oauth2/authorize?client_id=')
  if (garden) discord.servers.push(garden)
  expect(await run('install', '--server', '12345')).toMatchObject({ status: 2 })
  expect(await run('install')).toMatchObject({ status: 0, stdout: 'installed Garden in Garden\n' })
  expect((await run('servers')).stdout).toContain(`server\t${SERVER}\tGarden\nrole\t`)
  expect((await run('staff')).stderr).toContain('No staff.')
  expect((await run('staff', `${STAFF_ROLE}=support`)).stdout).toBe(`${STAFF_ROLE}\tsupport\n`)
  const status = await run()
  expect(status.stdout).toMatch(/^server +Garden$/m)
  expect(status.stdout).toContain(`${STAFF_ROLE}=support`)
  expect(JSON.parse((await run('--json')).stdout)).toMatchObject({
    discord: { staff: [{ chat_role_id: STAFF_ROLE }] },
    unavailable: null,
  })
  expect((await run('staff', '--none')).stdout).toBe('')
  expect((await run('disconnect')).status).toBe(1)
  expect((await run('disconnect', '--yes')).stdout).toBe('disconnected\n')
})

it('a token comes from standard input, and a wrong one is refused without being printed', async () => {
  const { owner, project } = await createOwner(server)
  const own = { SCRIPTWARD_URL: server.url, SCRIPTWARD_TOKEN: owner.apiKey }
  const line = (token: string) => `printf %s "${token}" | scriptward discord connect --project ${project}`
  const wrong = await inShell(folder, line('MTg0NjUwMTI5Mzc0.wrong.token-of-another-bot'), own)
  expect(wrong).toMatchObject({ status: 2, stdout: '' })
  expect(wrong.stderr).toContain('Discord rejected the bot token.')
  expect(wrong.stderr).not.toContain('wrong')
  expect(await inShell(folder, line(discord.token), own)).toMatchObject({
    status: 0,
    stdout: 'connected Garden in Garden\n',
  })
})

it('a mistake in the list of staff is named before anything is sent', async () => {
  const run = await project()
  const mistaken = await run('staff', `${STAFF_ROLE}=owner`)
  expect(mistaken.status).toBe(1)
  expect(mistaken.stderr).toContain(`'${STAFF_ROLE}=owner' is not valid`)
  expect((await run('staff', '1=reader', '--none')).stderr).toContain('not both')
})
