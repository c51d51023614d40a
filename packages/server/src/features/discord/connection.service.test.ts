/** Connecting a project to its Discord application, against a fake Discord API. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  APPLICATION,
  CUSTOMER_ROLE,
  HIGH_ROLE,
  SERVER,
  STAFF_ROLE,
  VIP_ROLE,
} from '../../../test/chat/fake-discord.ts'
import { discordOn } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, startServer, type TestServer } from '../../../test/harness.ts'

const BASE_URL = 'https://ward.example.com'
type Bot = Record<string, unknown>

describe.each(anyEngine)('the Discord bot of a project on $name', (engine) => {
  const { at, discord } = discordOn(engine)
  let server: TestServer

  beforeAll(() => {
    server = at()
  })
  afterEach(() => {
    discord.outage = undefined
    discord.serverUrl = server.url
  })

  async function project(): Promise<{ owner: Owner; path: string; id: string }> {
    const owner = await server.createCustomer()
    const id = (await owner.post('/v1/projects/new', { name: 'Garden' })).string('project_id')
    return { owner, id, path: `/v1/projects/${id}/discord` }
  }
  const connect = ({ owner, path }: { owner: Owner; path: string }, bot_token = discord.token) =>
    owner.post(`${path}/connect`, { bot_token })

  it('needs its token alone: Discord is told the address, tests it and gets the commands', async () => {
    const made = await project()
    expect((await made.owner.get(made.path)).body.discord).toBeNull()
    discord.requests.length = 0
    const { status, body } = await connect(made)
    expect(status).toBe(200)
    expect(body.discord).toMatchObject({
      ...{ application_id: APPLICATION, name: 'Garden', server: { id: SERVER, name: 'Garden' } },
      interactions_url: `${BASE_URL}/hooks/discord/${made.id}`,
      ...{ installed_at: server.clock.now, failure: null, staff: [] },
    })
    expect(discord.interactionsUrl).toBe(`${BASE_URL}/hooks/discord/${made.id}`)
    const registered = discord.requests.find(({ method }) => method === 'PUT')
    const commands = (registered?.body ?? []) as unknown as { name: string }[]
    const names = commands.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['redeem', 'mykey', 'script', 'reset', 'denied', 'panel']))
  })

  it('keeps its token to itself', async () => {
    const made = await project()
    const answers = [await connect(made), await made.owner.get(made.path), await made.owner.get('/v1/audit')]
    for (const { text } of answers) expect(text).not.toContain(discord.token)
    expect(server.log.join('\n')).not.toContain(discord.token)
    const [row] = await server.deps.db.read
      .selectFrom('discord_bots')
      .selectAll()
      .where('project_id', '=', made.id)
      .execute()
    expect(Buffer.from(row?.token ?? '').toString('utf8')).not.toContain(discord.token)
  })

  it('is not saved with a token that Discord does not accept, or while it cannot be reached', async () => {
    const made = await project()
    const wrong = await connect(made, 'MTg0NjUwMTI5Mzc0NjUwMjEz.not.the-token')
    expect([wrong.status, wrong.error.type]).toEqual([400, 'discord_token_refused'])
    discord.outage = 'drop'
    const unreachable = await connect(made)
    expect(unreachable.error).toMatchObject({
      type: 'discord_failed',
      message: expect.stringContaining('could not be reached'),
    })
    expect((await made.owner.get(made.path)).body.discord).toBeNull()
  })

  it('is saved when Discord cannot reach the server, and says so until it is installed again', async () => {
    const made = await project()
    discord.serverUrl = 'http://127.0.0.1:9'
    const { body } = await connect(made)
    expect(body.discord).toMatchObject({
      installed_at: null,
      failure: { message: expect.stringContaining('could not reach this server') },
    })
    const again = await made.owner.post(`${made.path}/install`, {})
    expect([again.status, again.error.type]).toEqual([409, 'discord_failed'])
    discord.serverUrl = server.url
    const installed = await made.owner.post(`${made.path}/install`, {})
    expect(installed.body.discord).toMatchObject({ installed_at: server.clock.now, failure: null })
  })

  it('shows a failed request until a later one succeeds', async () => {
    const made = await project()
    await connect(made)
    discord.outage = '500'
    expect((await made.owner.get(`${made.path}/servers`)).error.type).toBe('discord_failed')
    const failure = { at: server.clock.now, message: expect.stringContaining('could not be reached') }
    expect((await made.owner.get(made.path)).body.discord).toMatchObject({ failure })
    discord.outage = undefined
    await made.owner.get(`${made.path}/servers`)
    expect((await made.owner.get(made.path)).body.discord).toMatchObject({ failure: null })
  })

  it('waits for an invitation, and asks which server if it has joined several', async () => {
    const made = await project()
    const { servers } = discord
    const [first] = servers.splice(0)
    try {
      const invited = (await connect(made)).body.discord as Bot
      expect(invited).toMatchObject({ server: null, installed_at: null })
      expect(invited.invite_url).toContain(`client_id=${APPLICATION}`)
      const unknown = await made.owner.post(`${made.path}/install`, { server_id: SERVER })
      expect(unknown.error).toMatchObject({ type: 'invalid_request', failed: [{ field: 'server_id' }] })
      if (first) servers.push(first, { ...first, id: '301245678901234599', name: 'Other' })
      expect((await made.owner.post(`${made.path}/install`, {})).body.discord).toMatchObject({ server: null })
      const chosen = await made.owner.post(`${made.path}/install`, { server_id: SERVER })
      expect(chosen.body.discord).toMatchObject({ server: { id: SERVER } })
    } finally {
      servers.splice(0, servers.length, ...(first ? [first] : []))
    }
  })

  it('is told when another project takes over its application, and can take it back', async () => {
    const [first, second] = [await project(), await project()]
    await connect(first)
    const failureOf = async ({ owner, path }: typeof first) =>
      ((await owner.get(path)).body.discord as Bot).failure
    expect(await failureOf(first)).toBeNull()
    await connect(second)
    expect(await failureOf(first)).toMatchObject({ message: expect.stringContaining('Another project') })
    expect(await failureOf(second)).toBeNull()
    expect((await first.owner.get(`${first.path}/servers`)).status).toBe(200)
    discord.outage = '500'
    await first.owner.get(`${first.path}/servers`)
    discord.outage = undefined
    await first.owner.get(`${first.path}/servers`)
    expect(await failureOf(first)).toMatchObject({ message: expect.stringContaining('Another project') })
    await first.owner.post(`${first.path}/install`, {})
    expect(await failureOf(first)).toBeNull()
    expect(await failureOf(second)).toMatchObject({ message: expect.stringContaining('Another project') })
  })

  it('lists the roles of its server, and which of them it can give', async () => {
    const made = await project()
    await connect(made)
    const { body } = await made.owner.get(`${made.path}/servers`)
    expect(body.roles).toEqual([
      { id: HIGH_ROLE, name: 'Founder', color: 0, assignable: false },
      { id: VIP_ROLE, name: 'VIP', color: 0, assignable: true },
      { id: STAFF_ROLE, name: 'Support', color: 0, assignable: true },
      { id: CUSTOMER_ROLE, name: 'Customer', color: 0, assignable: true },
    ])
  })

  it('gives nobody more permissions than the person who sets up the staff has', async () => {
    const made = await project()
    await connect(made)
    const scopes = ['projects:write', 'users:read']
    const secret = (await made.owner.post('/v1/tokens/new', { name: 'helper', scopes })).string('secret')
    const helper = server.client(secret)
    const staff = (role: string) => ({ staff: [{ chat_role_id: STAFF_ROLE, role }] })
    const refused = await helper.post(`${made.path}/edit`, staff('support'))
    expect([refused.status, refused.error.type]).toEqual([403, 'beyond_own_rights'])
    expect((await made.owner.post(`${made.path}/edit`, staff('support'))).body.discord).toMatchObject(
      staff('support'),
    )
    const twice = await made.owner.post(`${made.path}/edit`, {
      staff: [...staff('support').staff, ...staff('reader').staff],
    })
    expect(twice.error).toMatchObject({ failed: [{ field: 'staff.1.chat_role_id' }] })
  })

  it('lets nobody move a role that someone else gave, or give more than a token with limits has', async () => {
    const made = await project()
    await connect(made)
    const edit = (by: Pick<Owner, 'post'>, staff: object[]) => by.post(`${made.path}/edit`, { staff })
    const admins = { chat_role_id: STAFF_ROLE, role: 'admin' }
    expect((await edit(made.owner, [admins])).status).toBe(200)
    const token = async (more: object) =>
      server.client((await made.owner.post('/v1/tokens/new', { name: 'helper', ...more })).string('secret'))
    const helper = await token({ scopes: ['projects:write', 'users:read'] })
    const own = { ...admins, chat_role_id: HIGH_ROLE }
    expect((await edit(helper, [admins, own])).error).toMatchObject({
      type: 'beyond_own_rights',
      failed: [{ field: 'staff.1.role' }],
    })
    expect((await edit(helper, [admins])).status).toBe(200)
    const { scopes } = (await made.owner.get('/v1/scopes')).body as { scopes: { name: string }[] }
    const all = scopes.map(({ name }) => name).filter((name) => name !== 'admin')
    const expires = server.clock.now + 3_600_000
    const brief = await token({ scopes: all, expires_at: expires })
    expect((await edit(brief, [admins, own])).error.type).toBe('beyond_own_rights')
    expect((await edit(made.owner, [admins, own])).status).toBe(200)
  })

  it('keeps its staff with a new token of the same application', async () => {
    const made = await project()
    await connect(made)
    const staff = [{ chat_role_id: STAFF_ROLE, role: 'support' }]
    await made.owner.post(`${made.path}/edit`, { staff })
    const former = discord.token
    discord.token = 'MTg0NjUwMTI5Mzc0NjUwMjEz.fake.another-token-of-the-bot'
    try {
      expect((await made.owner.get(`${made.path}/servers`)).error.type).toBe('discord_token_refused')
      expect((await made.owner.post(`${made.path}/install`, {})).error.type).toBe('discord_token_refused')
      expect((await connect(made)).body.discord).toMatchObject({ staff, server: { id: SERVER } })
    } finally {
      discord.token = former
    }
  })

  it('no longer answers after it was disconnected', async () => {
    const made = await project()
    await connect(made)
    expect((await made.owner.post(`${made.path}/disconnect`)).status).toBe(200)
    const body = JSON.stringify({ type: 1, id: '1', application_id: APPLICATION })
    const url = `${server.url}/hooks/discord/${made.id}`
    expect((await fetch(url, { method: 'POST', body, headers: discord.signed(body) })).status).toBe(401)
    for (const [path, settings] of Object.entries({
      disconnect: {},
      install: {},
      compare: {},
      edit: { staff: [] },
    }))
      expect([path, (await made.owner.post(`${made.path}/${path}`, settings)).error.type]).toEqual([
        path,
        'discord_not_connected',
      ])
  })

  it('is connected but not installed while the server has no public address', async () => {
    const local = await startServer(engine, { config: { baseUrl: undefined, discordUrl: discord.url } })
    try {
      const owner = await local.createCustomer()
      const id = (await owner.post('/v1/projects/new', { name: 'Garden' })).string('project_id')
      const path = `/v1/projects/${id}/discord`
      const { body } = await owner.post(`${path}/connect`, { bot_token: discord.token })
      expect(body.discord).toMatchObject({ installed_at: null, interactions_url: null })
      expect((await owner.post(`${path}/install`, {})).error.type).toBe('base_url_needed')
    } finally {
      await local.close()
    }
  })

  it('can be turned off by the operator', async () => {
    const off = await startServer(engine, { config: { discordUrl: undefined } })
    try {
      const owner = await off.createCustomer()
      const id = (await owner.post('/v1/projects/new', { name: 'Garden' })).string('project_id')
      const refused = await owner.post(`/v1/projects/${id}/discord/connect`, { bot_token: discord.token })
      expect(refused.error.type).toBe('discord_off')
    } finally {
      await off.close()
    }
  })
})
