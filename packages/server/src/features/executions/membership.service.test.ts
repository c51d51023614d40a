/** Runs and key checks in projects whose bot looks up members on Discord, with a fake Discord API. */
import { checkKey, deviceComponent } from '@scriptward/client/check'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { discordOn } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START, type TestServer } from '../../../test/harness.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { findCommand } from '../chat/list.ts'
import { findBotSubject } from '../discord/store/bot-subjects.ts'

const JO = '410000000000000001'
const MINUTE = 60_000
/** After a failure or a negative response, Discord isn't queried again for this long. */
const PAUSE = 15_000
const MISSING = { reason: 'join_required', chat_linked: true }
const UNREACHABLE = { ...MISSING, unreachable: true }

describe.each(anyEngine)('runs that require membership in a Discord server on $name', (engine) => {
  const { at, discord } = discordOn(engine)
  let server: TestServer
  let scene: Scene
  let key: string
  /** Number of questions to Discord, not counting repeated requests. */
  let questions = 0
  /** Whether the server waits for Discord as long as a busy machine may take. */
  let isPatient = true

  beforeAll(() => {
    server = at()
    const { api } = server.deps.discord
    const { call } = api
    Object.assign(api, {
      call: (...[bot, request]: Parameters<typeof call>) => {
        questions += 1
        return call.call(api, bot, isPatient ? { ...request, timeoutMs: 120_000 } : request)
      },
    })
  })
  beforeEach(async () => {
    server.clock.now = START
    isPatient = true
    discord.server.members.clear()
    scene = await makeScene(server)
    await connect()
    await scene.edit('projects', { require_join_chat_server: 1 })
    key = await scene.addUser({ chat_id: JO })
    discord.requests.length = 0
  })
  const connect = async () => {
    const path = `/v1/projects/${scene.projectId}/discord/connect`
    expect((await scene.owner.post(path, { bot_token: discord.token })).status).toBe(200)
  }
  const join = (id = JO) => discord.server.members.set(id, { roles: [] })
  const run = async (of = key) => {
    const { reply } = await scene.client.run(scene.scriptId, { key: of })
    return reply.ok ? 'granted' : { reason: reply.reason, ...reply.details }
  }
  const asked = () => discord.requests.map(({ method, path }) => `${method} ${path}`)
  const failure = async () => {
    const { body } = await scene.owner.get(`/v1/projects/${scene.projectId}/discord`)
    return (body as { discord: { failure: { message: string } | null } }).discord.failure?.message
  }

  it('are granted to members, and ask Discord once in five minutes', async () => {
    join()
    expect(await run()).toBe('granted')
    expect(asked()).toEqual([`GET /guilds/${discord.server.id}/members/${JO}`])
    server.clock.now += 5 * MINUTE - 1
    expect(await run()).toBe('granted')
    expect(asked()).toHaveLength(1)
    server.clock.now += 1
    expect(await run()).toBe('granted')
    expect(asked()).toHaveLength(2)
  })

  it('are denied to someone who left, once the answer is five minutes old', async () => {
    join()
    expect(await run()).toBe('granted')
    discord.server.members.clear()
    expect(await run()).toBe('granted')
    server.clock.now += 5 * MINUTE
    expect(await run()).toEqual(MISSING)
  })

  it('are granted soon after someone has joined', async () => {
    expect(await run()).toEqual(MISSING)
    join()
    expect(await run()).toEqual(MISSING)
    expect(asked()).toHaveLength(1)
    server.clock.now += PAUSE
    expect(await run()).toBe('granted')
  })

  it('are denied to accounts that Discord cannot have, without delaying anyone else', async () => {
    join()
    for (const chat_id of ['1'.repeat(20), '../../users/@me'])
      expect(await run(await scene.addUser({ chat_id }))).toEqual(MISSING)
    expect(await run()).toBe('granted')
  })

  it('keep the last known membership for an hour while Discord is down', async () => {
    join()
    expect(await run()).toBe('granted')
    discord.outage = 'drop'
    try {
      server.clock.now += 60 * MINUTE - 1
      expect(await run()).toBe('granted')
      server.clock.now += 1
      expect(await run()).toEqual(UNREACHABLE)
    } finally {
      discord.outage = undefined
    }
    server.clock.now += PAUSE
    expect(await run()).toBe('granted')
  })

  it.each(['drop', '500', '429'] as const)(
    'are denied without a last answer when Discord fails with %s, and recover',
    async (outage) => {
      join()
      isPatient = false
      discord.outage = outage
      try {
        expect(await run()).toEqual(UNREACHABLE)
        const before = questions
        expect(await run()).toEqual(UNREACHABLE)
        expect(questions).toBe(before)
      } finally {
        discord.outage = undefined
        isPatient = true
      }
      const later = () => {
        server.clock.now += PAUSE
        return run()
      }
      // After a 429, a request that is still waiting for the limit to end delays the next one.
      await expect.poll(later).toBe('granted')
    },
  )

  it('wait for a short rate limit of Discord', async () => {
    join()
    discord.faults.push('429')
    expect(await run()).toBe('granted')
    expect(asked()).toHaveLength(2)
  })

  it('are answered while Discord still hesitates, without delaying other accounts', async () => {
    const other = await makeScene(server)
    const free = await other.addUser()
    const { promise, resolve } = Promise.withResolvers<void>()
    isPatient = false
    discord.hold = promise
    try {
      join()
      const denied = run()
      await expect.poll(() => asked().length).toBe(1)
      expect(await other.client.verdict(other.scriptId, { key: free })).toBe('granted')
      expect(await denied).toEqual(UNREACHABLE)
    } finally {
      discord.hold = undefined
      resolve()
    }
  })

  it('of one account at the same time ask once', async () => {
    join()
    const runs = await Promise.all(Array.from({ length: 50 }, () => run()))
    expect(new Set(runs)).toEqual(new Set(['granted']))
    expect(asked()).toHaveLength(1)
  })

  it('of many accounts at the same time have few open questions, and the others can try again', async () => {
    const ids = Array.from({ length: 30 }, (_, i) => `4200000000000000${10 + i}`)
    for (const id of ids) join(id)
    const keys = await Promise.all(ids.map((chat_id) => scene.addUser({ chat_id })))
    const { promise, resolve } = Promise.withResolvers<void>()
    discord.hold = promise
    const runs = keys.map((one) => run(one))
    const denied = runs.map(async (one) => (await one) !== 'granted')
    // Runs that exceed the limit on open lookups are denied until Discord responds.
    let answered = 0
    for (const one of denied) void one.then(() => (answered += 1))
    await expect.poll(() => answered).toBe(ids.length - 8)
    discord.hold = undefined
    resolve()
    const outcomes = await Promise.all(runs)
    expect(outcomes.filter((one) => one === 'granted')).toHaveLength(8)
    expect(asked()).toHaveLength(8)
    expect(outcomes.find((one) => one !== 'granted')).toEqual(UNREACHABLE)
  })

  it('are denied as unknown when the bot was kicked from the server, which the settings show', async () => {
    join()
    const [kept] = discord.servers.splice(0, 1)
    try {
      expect(await run()).toEqual(UNREACHABLE)
    } finally {
      if (kept) discord.servers.push(kept)
    }
    expect(await failure()).toContain('Unknown Guild')
  })

  it('are denied as unknown when the token was revoked, which the settings show', async () => {
    join()
    const { token } = discord
    discord.token = 'another'
    try {
      expect(await run()).toEqual(UNREACHABLE)
    } finally {
      discord.token = token
    }
    expect(await failure()).toContain('Connect the bot again')
  })

  it('ask about the server that is chosen now', async () => {
    join()
    expect(await run()).toBe('granted')
    const { id, roles } = discord.server
    const other = { id: `${id}0`, name: 'Meadow', roles, members: new Map() }
    discord.servers.push(other)
    try {
      const install = `/v1/projects/${scene.projectId}/discord/install`
      expect((await scene.owner.post(install, { server_id: other.id })).status).toBe(200)
      expect(await run()).toEqual(MISSING)
    } finally {
      discord.servers.pop()
    }
  })

  it('never ask about an account that is not one of Discord, or without an account', async () => {
    expect(await run(await scene.addUser())).toEqual({ reason: 'join_required', chat_linked: false })
    const odd = await scene.addUser({ chat_id: '1/../../../users/@me' })
    expect(await run(odd)).toEqual(MISSING)
    expect(asked()).toEqual([])
  })

  it('never ask without the requirement', async () => {
    await scene.edit('projects', { require_join_chat_server: 0, require_chat: 1 })
    expect(await run()).toBe('granted')
    expect(asked()).toEqual([])
  })

  it('use the reported list in a project without a bot', async () => {
    join()
    const path = `/v1/projects/${scene.projectId}`
    expect((await scene.owner.post(`${path}/discord/disconnect`)).status).toBe(200)
    expect(await run()).toEqual(MISSING)
    await scene.owner.post(`${path}/chat-members/add`, { chat_ids: [JO] })
    expect(await run()).toBe('granted')
    expect(asked()).toEqual([])
  })

  it('follow the same rule in key checks', async () => {
    await scene.edit('projects', { allow_checks: 1 })
    const publicKeys = (await scene.client.keys()).map((one) => one.ed25519)
    const { projectId } = scene
    const fingerprint = await deviceComponent(projectId, 'first machine')
    const url = `${server.url}/client/v1`
    const ask = () => checkKey({ url, projectId, publicKeys, key, fingerprint })
    join()
    expect(await ask()).toMatchObject({ reason: 'valid' })
    expect(await ask()).toMatchObject({ reason: 'valid' })
    expect(asked()).toHaveLength(1)
    discord.outage = '500'
    try {
      server.clock.now += 60 * MINUTE
      expect(await ask()).toMatchObject({ reason: 'join_required', details: { unreachable: true } })
    } finally {
      discord.outage = undefined
    }
  })

  it('tell the author and the customer that Discord could not be asked', async () => {
    discord.outage = '500'
    try {
      const { reply } = await scene.client.run(scene.scriptId, { key, lang: 'de' })
      expect(reply).toMatchObject({ message: expect.stringContaining('Discord ist gerade nicht erreichbar') })
    } finally {
      discord.outage = undefined
    }
    const { body } = await scene.owner.get(`/v1/users/${key}/denials`)
    expect(body.denials).toMatchObject([{ reason: 'join_required', value: 'Discord unreachable' }])
    const subject = await findBotSubject(server.deps.db.read, scene.projectId)
    if (subject === undefined) throw new Error('the bot is missing')
    const person = { id: JO, name: 'jo', scopes: new Set<never>() }
    const asking = {
      deps: server.deps,
      subject,
      person,
      language: 'de',
      clientUrl: '',
      requestId: '',
      getRole: async (): Promise<'no_key'> => 'no_key',
    } as const
    const answer = await findCommand('denied')?.run(asking, {})
    expect(JSON.stringify(answer)).toContain('Discord ist gerade nicht erreichbar')
  })
})
