/** Discord's requests, sent by a fake Discord API with its own key pair. */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { APPLICATION, SERVER, STAFF_ROLE } from '../../../test/chat/fake-discord.ts'
import { type DiscordScene, discordOn, discordScene } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START, startServer, type TestServer } from '../../../test/harness.ts'
import { findCommand } from '../chat/list.ts'

const BASE_URL = 'https://ward.example.com'
const JO = '410000000000000001'
const KIM = '410000000000000002'

describe.each(anyEngine)('interactions of Discord on $name', (engine) => {
  const { at, discord } = discordOn(engine)
  let server: TestServer
  let scene: DiscordScene

  beforeAll(() => {
    server = at()
  })
  beforeEach(async () => {
    server.clock.now = START
    scene = await discordScene(server, discord)
  })
  const raw = async (body: string, headers: Record<string, string>, projectId = scene.projectId) => {
    const url = `${server.url}/hooks/discord/${projectId}`
    const { status } = await fetch(url, { method: 'POST', body, headers })
    return status
  }

  it('are rejected with 401 without a right signature, whatever they contain', async () => {
    const ping = JSON.stringify({ type: 1, id: '1', application_id: APPLICATION })
    const right = discord.signed(ping)
    expect(await raw(ping, right)).toBe(200)
    expect(await raw(`${ping} `, right)).toBe(401)
    expect(await raw(ping, { ...right, 'x-signature-ed25519': '0'.repeat(128) })).toBe(401)
    expect(await raw(ping, { ...right, 'x-signature-ed25519': 'no' })).toBe(401)
    expect(await raw(ping, { 'content-type': 'application/json' })).toBe(401)
    expect(await raw(ping, right, 'prj_0VMc4VLkH7rAbCdEfGhIjK')).toBe(401)
    expect(await raw('{', discord.signed('{'))).toBe(401)
    expect(await raw(ping, discord.signed(ping, START - 301_000))).toBe(401)
    expect(await raw(ping, discord.signed(ping, START + 301_000))).toBe(401)
    const other = JSON.stringify({ type: 2, id: '1', application_id: '1', guild_id: SERVER })
    expect(await raw(other, discord.signed(other))).toBe(401)
  })

  it('read the database at most once a second when the signature is wrong', async () => {
    const ping = JSON.stringify({ type: 1, id: '1', application_id: APPLICATION })
    expect(await raw(ping, discord.signed(ping))).toBe(200)
    const wrong = { ...discord.signed(ping), 'x-signature-ed25519': '0'.repeat(128) }
    const { read, readPoint } = server.deps.db
    const refuse = () => {
      throw new Error('the database was read')
    }
    const guarded = new Proxy(read, { get: refuse })
    for (const seconds of [0, 1]) {
      server.clock.now = START + 1000 * seconds
      expect(await raw(ping, wrong)).toBe(401)
      Object.assign(server.deps.db, { read: guarded, readPoint: guarded })
      try {
        for (let round = 0; round < 20; round += 1) expect(await raw(ping, wrong)).toBe(401)
      } finally {
        Object.assign(server.deps.db, { read, readPoint })
      }
    }
  })

  it('link a key to the account that redeems it, and to no other', async () => {
    const key = await scene.addKey()
    const jo = scene.person(JO)
    const asked = await jo.command('redeem')
    expect(asked.form).toMatchObject({ title: 'Link a license key to your account' })
    const linked = await jo.submit(asked.form, { key })
    expect(linked).toMatchObject({ status: 200, type: 4, isPrivate: true })
    expect(linked.text).toContain('Your key is linked')
    const { user } = (await scene.owner.get(`/v1/users/${key}`)).body as { user: { chat_id: string } }
    expect(user.chat_id).toBe(JO)
    expect((await scene.person(KIM).command('redeem', { key })).text).toContain('belongs to another account')
    expect((await jo.command('redeem', { key })).text).toContain('already linked to your account')
    expect((await jo.command('redeem', { key: await scene.addKey() })).text).toContain(
      'already has another key',
    )
    expect((await jo.command('redeem', { key: 'wrong' })).text).toContain('not valid here')
    const { entries } = (await scene.owner.get('/v1/audit')).body as {
      entries: { action: string; actor: object }[]
    }
    expect(entries.find(({ action }) => action === 'v1.users.link')).toMatchObject({
      actor: { kind: 'chat', id: JO, name: 'jo' },
    })
  })

  it('that fail by a bug get an answer, and their options do not reach the log', async () => {
    const key = await scene.addKey()
    const redeem = findCommand('redeem')
    if (redeem === undefined) throw new Error('the command is missing')
    const failing = vi.spyOn(redeem, 'run').mockRejectedValue(new Error(`a bug about ${key}`))
    try {
      expect((await scene.person(JO).command('redeem', { key })).text).toContain('Something went wrong')
    } finally {
      failing.mockRestore()
    }
    const log = server.log.join('\n')
    expect(log).toContain('a bug about [removed]')
    expect(log).not.toContain(key)
  })

  it('name the person in webhooks', async () => {
    const { owner, path } = scene
    await owner.post(`${path}/edit`, { information_webhook: 'https://hooks.example.com/garden' })
    const key = await scene.addKey()
    await scene.person(JO, { name: 'Jo **Doe**' }).command('redeem', { key })
    const { deliveries } = (await owner.get(`${path}/webhooks/deliveries?type=user.linked`)).body as {
      deliveries: { body: string }[]
    }
    expect(JSON.parse(deliveries[0]?.body ?? '{}')).toMatchObject({
      data: { user: { key }, by: { chat_id: JO, name: 'Jo **Doe**' } },
    })
  })

  it('read text that a database cannot store', async () => {
    const key = await scene.addKey()
    const odd = `${key.slice(0, 4)}\0${key.slice(4)}\ud800`
    const wrong = await scene.person(JO, { name: 'jo\0' }).command('redeem', { key: odd })
    expect(wrong.text).toContain('not valid here')
    const linked = await scene.person(JO, { name: 'jo\0' }).command('redeem', { key: odd.slice(0, -1) })
    expect(linked.text).toContain('is linked')
  })

  it('do nothing twice when they are repeated', async () => {
    const key = await scene.addKey()
    const interaction = { id: discord.newId() }
    const first = await scene.person(JO).command('redeem', { key }, interaction)
    const again = await scene.person(JO).command('redeem', { key }, interaction)
    expect([first.text, again.text]).toEqual([
      expect.stringContaining('is linked'),
      expect.stringContaining('already been done'),
    ])
  })

  it('show their own key, script and denials to everyone, and nobody else', async () => {
    const key = await scene.addKey({ chat_id: JO, note: '**bold** @everyone' })
    const shown = await scene.person(JO).command('mykey')
    expect(shown.text).toContain(`||\`${key}\`||`)
    expect(shown.text).toContain('Status: Active')
    expect(shown.text).toContain('Expires: Never')
    expect(shown.isPrivate).toBe(true)
    const kim = await scene.person(KIM).command('mykey')
    expect(kim.text).toContain('No key is linked to your account')
    expect(kim.text).not.toContain(key)
    expect((await scene.person(JO).press(shown.buttons['Reset device'])).text).toContain('nothing to reset')
    expect((await scene.person(JO).command('denied')).text).toContain('None of your runs were denied')
    expect((await scene.person(JO).command('script')).text).toContain('No script is available')
  })

  it('work while networks and accounts are banned, and tell someone who is', async () => {
    const { owner, path } = scene
    await scene.addKey({ chat_id: JO })
    await scene.addKey({ chat_id: KIM })
    for (const ban of [
      { kind: 'network', value: '203.0.113.0/24' },
      { kind: 'chat', value: KIM, reason: 'resold' },
    ])
      expect((await owner.post(`${path}/bans/new`, ban)).status).toBe(200)
    expect((await scene.person(JO).command('mykey')).text).toContain('Status: Active')
    expect((await scene.person(JO).command('reset')).text).toContain('nothing to reset')
    expect((await scene.person(KIM).command('mykey')).text).toContain('Status: Blocked: resold')
    expect((await scene.person(KIM).command('reset')).text).toContain('blocked')
  })

  it('on another server, and commands for staff by others, are refused', async () => {
    const elsewhere = await scene.person(JO).command('mykey', {}, { guild_id: '301245678901234599' })
    expect(elsewhere.text).toContain("only works on its project's server")
    expect((await scene.person(JO).command('panel')).text).toContain("You can't use this command")
    expect((await scene.person(JO).press('gone?x=1')).text).toContain('no longer exists')
  })

  it('of an account that the operator has blocked do nothing', async () => {
    const key = await scene.addKey()
    const blocked = `/v1/admin/customers/${scene.owner.id}`
    expect((await server.admin.post(`${blocked}/blacklist`, { reason: 'fraud' })).status).toBe(200)
    const staff = scene.person(JO, { roles: [STAFF_ROLE] })
    expect((await staff.command('who', { key })).text).toContain('is blocked')
    expect((await staff.command('redeem', { key })).text).toContain('is blocked')
    expect((await staff.type('rollback', { script: '' }, 'script')).json).toEqual({
      type: 8,
      data: { choices: [] },
    })
    await server.admin.post(`${blocked}/unblacklist`)
    expect((await staff.command('who', { key })).text).toContain('Not linked')
  })

  it('post the panel for everyone, even if that takes longer than Discord waits', async () => {
    const staff = scene.person(JO, { roles: [STAFF_ROLE] })
    expect(await staff.command('panel')).toMatchObject({ type: 4, isPrivate: false })
    const panel = findCommand('panel')
    const { run } = panel ?? {}
    const release = Promise.withResolvers<void>()
    Object.assign(panel ?? {}, { run: () => release.promise.then(() => ({ text: [], isPublic: true })) })
    try {
      const { member, ...common } = {
        member: { user: { id: JO, username: 'jo' }, roles: [STAFF_ROLE] },
        version: 1,
      }
      const first = await scene.send({
        ...{
          id: discord.newId(),
          application_id: APPLICATION,
          guild_id: SERVER,
          token: 'late',
          type: 2,
          member,
        },
        ...{ ...common, data: { id: '1', name: 'panel', type: 1 } },
      })
      expect(first).toMatchObject({ type: 5, isPrivate: false })
    } finally {
      release.resolve()
      Object.assign(panel ?? {}, { run })
    }
  })

  it('of one person are limited, without delaying others', async () => {
    const rated = await startServer(engine, {
      config: { discordUrl: discord.url, baseUrl: BASE_URL, clientRates: 1 },
    })
    try {
      discord.serverUrl = rated.url
      const own = await discordScene(rated, discord)
      const asked = Array.from({ length: 20 }, () => own.person(JO).command('mykey'))
      const texts = (await Promise.all(asked)).map(({ text }) => text)
      expect(texts.filter((text) => text.includes('Too many commands')).length).toBeGreaterThan(0)
      expect((await own.person(KIM).command('mykey')).text).toContain('No key is linked')
    } finally {
      discord.serverUrl = server.url
      await rated.close()
    }
  })
})
