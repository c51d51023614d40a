/**
 * Customers' Discord roles: who has their plan's role, when, and what happens if Discord rejects a change.
 */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CUSTOMER_ROLE, HIGH_ROLE, SERVER, STAFF_ROLE, VIP_ROLE } from '../../../test/chat/fake-discord.ts'
import { type DiscordScene, discordOn, discordScene } from '../../../test/chat/scene.ts'
import { anyEngine } from '../../../test/databases.ts'
import { START, type TestServer } from '../../../test/harness.ts'
import { syncRoles } from './sync-roles.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SIGNAL = new AbortController().signal

describe.each(anyEngine)('Discord roles of customers on $name', (engine) => {
  const { at, discord } = discordOn(engine)
  let server: TestServer
  let scene: DiscordScene
  let jo: string
  let plan: string

  beforeAll(() => {
    server = at()
  })
  beforeEach(async () => {
    server.clock.now = START
    discord.reset()
    scene = await discordScene(server, discord)
    jo = discord.newId()
    discord.server.members.set(jo, { roles: [] })
    plan = await newPlan({ chat_role_id: CUSTOMER_ROLE })
    await sync()
    discord.requests.length = 0
  })
  // Otherwise, the bots of earlier tests would run too.
  afterEach(async () => {
    await scene.owner.post(`${scene.path}/discord/disconnect`)
  })

  const sync = async (of = server) => {
    const worker = syncRoles(of.deps)
    while (await worker.run(SIGNAL));
  }
  /** Runs the job once, and stops it after this many requests to Discord. It finishes the check that it makes. */
  const runFor = async (requests: number) => {
    const stopping = new AbortController()
    const { api } = server.deps.discord
    const { call } = api
    let sent = 0
    Object.assign(api, {
      call: (...asked: Parameters<typeof call>) => {
        sent += 1
        if (sent >= requests) stopping.abort()
        return call.apply(api, asked)
      },
    })
    await syncRoles(server.deps)
      .run(stopping.signal)
      .finally(() => Object.assign(api, { call }))
  }
  const later = async (ms: number) => {
    server.clock.now += ms
    await sync()
  }
  const newPlan = async (members: object, name = 'Pro') =>
    (await scene.owner.post(`${scene.path}/plans/new`, { name, ...members })).string('plan_id')
  const post = async (path: string, body: object = {}) => {
    const answer = await scene.owner.post(path, body)
    expect(answer.status, answer.text).toBe(200)
    return answer
  }
  const sell = (members: object = {}) => scene.addKey({ plan_id: plan, chat_id: jo, ...members })
  const rolesOf = (id = jo) => discord.server.members.get(id)?.roles
  const changes = () =>
    discord.requests.filter(({ method, path }) => method !== 'GET' && /\/roles\//.test(path))
  const shown = async () =>
    (await scene.owner.get(`${scene.path}/discord`)).body.discord as {
      roles_given: number
      role_problems: { chat_id: string; role_id: string; problem: string }[]
      failure: { message: string } | null
      compared_at: number | null
    }
  const problems = async () => (await shown()).role_problems.map(({ problem }) => problem)
  /** Makes a change that must remove the role, then reverts it with `undo`, which must restore the role. */
  const losesBy = async (change: () => Promise<unknown>, undo: () => Promise<unknown>) => {
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await change()
    await sync()
    expect(rolesOf()).toEqual([])
    await undo()
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  }

  it('are given on purchase, redemption and import, with a reason', async () => {
    await sell()
    const [kim, lou] = [discord.newId(), discord.newId()]
    discord.server.members.set(kim, { roles: [VIP_ROLE] }).set(lou, { roles: [] })
    const key = await scene.addKey({ plan_id: plan })
    await scene.person(kim).command('redeem', { key })
    await post(`${scene.path}/users/import`, { users: [{ key: 'imported-key-of-lou', chat_id: lou }] })
    await sync()
    expect([rolesOf(), rolesOf(kim), rolesOf(lou)]).toEqual([[CUSTOMER_ROLE], [VIP_ROLE, CUSTOMER_ROLE], []])
    await post('/v1/users/imported-key-of-lou/edit', { plan_id: plan })
    await sync()
    expect(rolesOf(lou)).toEqual([CUSTOMER_ROLE])
    expect(changes().map(({ reason }) => reason)).toEqual(Array(3).fill('Active license key'))
    expect(await shown()).toMatchObject({ roles_given: 3, role_problems: [], failure: null })
  })

  it('are removed at the end of the grace period, and given back by an extension', async () => {
    await post(`/v1/plans/${plan}/edit`, { grace: HOUR })
    const key = await sell({ key_expires: START + DAY })
    await later(DAY)
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await later(HOUR - 1)
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await later(1)
    expect(rolesOf()).toEqual([])
    expect(changes().at(-1)).toMatchObject({ method: 'DELETE', reason: 'No active license key' })
    await post(`/v1/users/${key}/extend`, { duration: DAY })
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  })

  it('are given at the start date, and before the first run', async () => {
    await sell({ starts_at: START + DAY })
    await sync()
    expect(rolesOf()).toEqual([])
    await later(DAY)
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    const waiting = await newPlan(
      { chat_role_id: VIP_ROLE, clock: { basis: 'first_use', duration: DAY } },
      'Waiting',
    )
    const kim = discord.newId()
    discord.server.members.set(kim, { roles: [] })
    await scene.addKey({ plan_id: waiting, chat_id: kim })
    await sync()
    expect(rolesOf(kim)).toEqual([VIP_ROLE])
  })

  it('are removed by a pause', async () => {
    const key = await sell()
    await losesBy(
      () => post(`/v1/users/${key}/pause`),
      () => post(`/v1/users/${key}/resume`),
    )
  })

  it('are removed by a ban of the account', async () => {
    await sell()
    let ban = ''
    await losesBy(
      async () => {
        const { body } = await post(`${scene.path}/bans/new`, { kind: 'chat', value: jo })
        ban = (body.ban as { id: string }).id
      },
      () => post(`${scene.path}/bans/${ban}/remove`),
    )
    await post(`${scene.path}/bans/new`, { kind: 'chat', value: jo, expires: server.clock.now + HOUR })
    await sync()
    expect(rolesOf()).toEqual([])
    await later(HOUR)
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  })

  it('are removed by a block, until it ends', async () => {
    const key = await sell()
    await losesBy(
      () => post(`/v1/users/${key}/blacklist`, { reason: 'shared', expires: START + HOUR }),
      () => later(HOUR),
    )
  })

  it('are removed when the account is unlinked, and follow the key to another account', async () => {
    const key = await sell()
    await losesBy(
      () => post(`/v1/users/${key}/edit`, { chat_id: '' }),
      () => post(`/v1/users/${key}/link`, { chat_id: jo, force: true }),
    )
    const kim = discord.newId()
    discord.server.members.set(kim, { roles: [] })
    await post(`/v1/users/${key}/link`, { chat_id: kim, force: true })
    await sync()
    expect([rolesOf(), rolesOf(kim)]).toEqual([[], [CUSTOMER_ROLE]])
  })

  it('are removed with the key, and given back when that is undone', async () => {
    const key = await sell()
    await losesBy(
      () => post(`/v1/users/${key}/remove`),
      async () => {
        const { body } = await scene.owner.get('/v1/changes')
        const [{ id }] = body.changes as [{ id: string }]
        await post(`/v1/changes/${id}/undo`)
      },
    )
  })

  it('change with the plan, and with the role of the plan', async () => {
    const key = await sell()
    const other = await newPlan({ chat_role_id: VIP_ROLE }, 'Other')
    await sync()
    await post(`/v1/users/${key}/edit`, { plan_id: other })
    await sync()
    expect(rolesOf()).toEqual([VIP_ROLE])
    await post(`/v1/plans/${other}/edit`, { chat_role_id: CUSTOMER_ROLE })
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await post(`/v1/plans/${other}/edit`, { chat_role_id: null })
    await sync()
    expect(rolesOf()).toEqual([])
  })

  it('are checked for all users of a plan without blocking other requests', async () => {
    const { bulk } = server.deps.db
    let large = 0
    const counted: typeof bulk = (change) => {
      large += 1
      return bulk(change)
    }
    Object.assign(server.deps.db, { bulk: counted })
    try {
      for (const members of [{ chat_role_id: VIP_ROLE }, { grace: HOUR }, { name: 'Other' }])
        await post(`/v1/plans/${plan}/edit`, members)
    } finally {
      Object.assign(server.deps.db, { bulk })
    }
    expect(large).toBe(2)
  })

  it('that someone else gave are never removed', async () => {
    discord.server.members.set(jo, { roles: [CUSTOMER_ROLE, VIP_ROLE] })
    const key = await sell()
    await sync()
    await post(`${scene.path}/discord/compare`)
    await sync()
    await post(`/v1/users/${key}/remove`)
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE, VIP_ROLE])
    expect(changes()).toEqual([])
  })

  it('of staff are never given to customers', async () => {
    const refused = await scene.owner.post(`/v1/plans/${plan}/edit`, { chat_role_id: STAFF_ROLE })
    expect(refused).toMatchObject({ status: 400, error: { type: 'invalid_request' } })
    const staff = [{ chat_role_id: CUSTOMER_ROLE, role: 'support' }]
    const other = await scene.owner.post(`${scene.path}/discord/edit`, { staff })
    expect(other).toMatchObject({ status: 400, error: { type: 'invalid_request' } })
    await sell()
    await server.deps.db.transaction(async (tx) => {
      await tx.updateTable('plans').set({ chat_role_id: STAFF_ROLE }).where('id', '=', plan).execute()
    })
    await sync()
    expect(rolesOf()).toEqual([])
  })

  it('of the staff of another project on the same server are never given to customers', async () => {
    const other = await discordScene(server, discord)
    const refused = await scene.owner.post(`/v1/plans/${plan}/edit`, { chat_role_id: STAFF_ROLE })
    expect(refused.error).toMatchObject({ failed: [{ field: 'chat_role_id' }] })
    const staff = [{ chat_role_id: CUSTOMER_ROLE, role: 'support' }]
    const edited = await other.owner.post(`${other.path}/discord/edit`, { staff })
    expect(edited.error).toMatchObject({ failed: [{ field: 'staff.0.chat_role_id' }] })
    await scene.owner.post(`${scene.path}/discord/edit`, { staff: [] })
    await server.deps.db.transaction(async (tx) => {
      await tx.updateTable('plans').set({ chat_role_id: STAFF_ROLE }).where('id', '=', plan).execute()
    })
    await sell()
    await sync()
    expect(rolesOf()).toEqual([])
    await other.owner.post(`${other.path}/discord/disconnect`)
  })

  it('that the plan of another project gives too stay until neither key is valid', async () => {
    const other = await discordScene(server, discord)
    const { owner, path } = other
    const same = { name: 'Other', chat_role_id: CUSTOMER_ROLE }
    const plan_id = (await owner.post(`${path}/plans/new`, same)).string('plan_id')
    const key = await sell()
    await sync()
    const otherKey = await other.addKey({ plan_id, chat_id: jo })
    await sync()
    await post(`/v1/users/${key}/pause`)
    await sync()
    // The other project's bot gives back what this one has just taken.
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await owner.post(`/v1/users/${otherKey}/pause`)
    await sync()
    expect(rolesOf()).toEqual([])
    await owner.post(`${path}/discord/disconnect`)
  })

  it('above that of the bot are listed as a problem, until the bot may give them', async () => {
    await post(`/v1/plans/${plan}/edit`, { chat_role_id: HIGH_ROLE })
    await sell()
    await sync()
    expect((await shown()).role_problems).toMatchObject([
      { chat_id: jo, role_id: HIGH_ROLE, problem: 'role_too_high' },
    ])
    const high = discord.server.roles.find(({ id }) => id === HIGH_ROLE)
    Object.assign(high ?? {}, { position: 4 })
    await later(DAY)
    expect([rolesOf(), await problems()]).toEqual([[HIGH_ROLE], []])
  })

  it('without a permission of the bot are listed as a problem, also if they can’t be removed', async () => {
    discord.hasPermission = false
    const key = await sell()
    await sync()
    expect(await problems()).toEqual(['no_permission'])
    discord.hasPermission = true
    await post(`${scene.path}/discord/compare`)
    await sync()
    expect([rolesOf(), await problems()]).toEqual([[CUSTOMER_ROLE], []])
    discord.hasPermission = false
    await post(`/v1/users/${key}/remove`)
    await sync()
    expect(await problems()).toEqual(['no_permission'])
    expect((await shown()).roles_given).toBe(1)
    discord.hasPermission = true
    await later(DAY)
    expect([rolesOf(), await problems()]).toEqual([[], []])
  })

  it('of members who left and of deleted roles are listed as a problem', async () => {
    discord.server.members.delete(jo)
    await sell()
    await sync()
    expect(await problems()).toEqual(['member_left'])
    discord.server.members.set(jo, { roles: [] })
    await later(DAY)
    expect([rolesOf(), await problems()]).toEqual([[CUSTOMER_ROLE], []])
    discord.server.members.set(jo, { roles: [] })
    discord.server.roles.splice(
      discord.server.roles.findIndex(({ id }) => id === CUSTOMER_ROLE),
      1,
    )
    await later(DAY)
    expect(await problems()).toEqual(['role_removed'])
  })

  it('are given although other customers have IDs that Discord rejects', async () => {
    const foreign = await newPlan({ chat_role_id: '9999999999999999999' }, 'Foreign')
    for (const [at, plan_id] of [plan, foreign].entries())
      await scene.addKey({ plan_id, chat_id: at === 0 ? '1'.repeat(20) : discord.newId() })
    await sell()
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    expect((await problems()).toSorted()).toEqual(['member_left', 'role_removed'])
    expect((await shown()).failure).toBeNull()
  })

  it('that are missing on Discord are given again by the daily comparison and on request', async () => {
    await sell()
    await sync()
    discord.server.members.set(jo, { roles: [] })
    await later(DAY - 1)
    expect(rolesOf()).toEqual([])
    await later(1)
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    expect((await shown()).compared_at).toBe(START + DAY)
    discord.server.members.set(jo, { roles: [] })
    const compared = await post(`${scene.path}/discord/compare`)
    expect(compared.body.discord).toMatchObject({ compared_at: START + DAY })
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  })

  it('of a new customer don’t wait for a comparison of everyone', async () => {
    for (let n = 0; n < 40; n += 1) await scene.addKey({ plan_id: plan, chat_id: discord.newId() })
    await sync()
    server.clock.now += DAY
    const worker = syncRoles(server.deps)
    await worker.run(SIGNAL)
    const kim = '999999999999999999'
    discord.server.members.set(kim, { roles: [] })
    await scene.addKey({ plan_id: plan, chat_id: kim })
    await worker.run(SIGNAL)
    expect(rolesOf(kim)).toEqual([CUSTOMER_ROLE])
    await sync()
  })

  it('of a new customer don’t wait for the checks that an earlier run had no time for', async () => {
    for (let n = 0; n < 40; n += 1) await scene.addKey({ plan_id: plan, chat_id: discord.newId() })
    await sync()
    server.clock.now += DAY
    await runFor(5)
    const kim = '999999999999999999'
    discord.server.members.set(kim, { roles: [] })
    await scene.addKey({ plan_id: plan, chat_id: kim })
    await runFor(1)
    expect(rolesOf(kim)).toEqual([CUSTOMER_ROLE])
    await sync()
  })

  it('ask nothing of Discord while nothing changes', async () => {
    const key = await sell()
    await sync()
    discord.requests.length = 0
    await post(`/v1/users/${key}/edit`, { note: 'a note' })
    await sync()
    await post(`/v1/users/${key}/edit`, { key_expires: START + DAY })
    await sync()
    expect(discord.requests).toEqual([])
  })

  it.each(['500', '429', 'drop'] as const)('survive an outage of Discord: %s', async (kind) => {
    await sell()
    discord.outage = kind
    await sync()
    expect((await shown()).failure?.message).toBeTruthy()
    discord.outage = undefined
    await sync()
    expect(rolesOf()).toEqual([])
    await later(30_000)
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  })

  it('keep to a rate limit that ends soon', async () => {
    const { api } = server.deps.discord
    const { call } = api
    // Two seconds of waiting leave too little of the time limit on a busy machine.
    Object.assign(api, {
      call: (...[bot, request]: Parameters<typeof call>) =>
        call.call(api, bot, { ...request, timeoutMs: 120_000 }),
    })
    try {
      await sell()
      discord.faults.push('429', '429')
      await sync()
    } finally {
      Object.assign(api, { call })
    }
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  })

  it('wait for a new token when Discord no longer accepts the old one', async () => {
    await sell()
    const { token } = discord
    discord.token = 'MTg0NjUwMTI5Mzc0NjUwMjEz.fake.another-token'
    await sync()
    expect((await shown()).failure?.message).toContain('rejected the bot token')
    const refused = await scene.owner.post(`${scene.path}/discord/connect`, { bot_token: token })
    expect(refused.error.type).toBe('discord_token_refused')
    await post(`${scene.path}/discord/connect`, { bot_token: discord.token })
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  })

  it.each(['is wrong', 'can’t be decrypted'])(
    'of one project don’t wait for another whose token %s',
    async (why) => {
      const other = await discordScene(server, discord)
      const { secrets, db } = server.deps
      const sealed = secrets.seal('discordToken', other.projectId, 'MTg0.wrong.token-of-the-bot')
      const token = why === 'is wrong' ? sealed : Buffer.from('unreadable')
      await db.transaction(async (tx) => {
        const bot = tx.updateTable('discord_bots').set({ token, application_id: '184650129374650299' })
        await bot.where('project_id', '=', other.projectId).execute()
      })
      const theirs = (
        await other.owner.post(`${other.path}/plans/new`, { name: 'Pro', chat_role_id: CUSTOMER_ROLE })
      ).string('plan_id')
      await other.addKey({ plan_id: theirs, chat_id: discord.newId() })
      await sell()
      await sync()
      expect(rolesOf()).toEqual([CUSTOMER_ROLE])
      await other.owner.post(`${other.path}/discord/disconnect`)
    },
  )

  it('are given once when several processes work at the same time', async () => {
    const ids = Array.from({ length: 50 }, () => discord.newId())
    for (const id of ids) {
      discord.server.members.set(id, { roles: [] })
      await scene.addKey({ plan_id: plan, chat_id: id })
    }
    await Promise.all([sync(), sync(), sync()])
    expect(new Set(ids.flatMap((id) => rolesOf(id) ?? []))).toEqual(new Set([CUSTOMER_ROLE]))
    expect(changes().length).toBe(ids.length)
    expect((await shown()).roles_given).toBe(ids.length)
  })

  it('follow a change that is made while the role is being given', async () => {
    const key = await sell()
    const { call } = server.deps.discord.api
    Object.assign(server.deps.discord.api, {
      call: async (...asked: Parameters<typeof call>) => {
        const answer = await call.apply(server.deps.discord.api, asked)
        if (asked[1].method === 'PUT') await post(`/v1/users/${key}/pause`)
        return answer
      },
    })
    try {
      await syncRoles(server.deps).run(SIGNAL)
    } finally {
      Object.assign(server.deps.discord.api, { call })
    }
    await sync()
    expect(rolesOf()).toEqual([])
  })

  it('are given by the button, which says why not otherwise', async () => {
    const person = scene.person(jo)
    const press = async () => (await person.press('role')).text
    const panel = await scene.person(jo, { roles: [STAFF_ROLE] }).command('panel')
    expect(panel.buttons['Get role']).toBe('role')
    expect(await press()).toContain('No key is linked')
    const key = await sell({ key_expires: START + DAY })
    expect(await press()).toContain("You have your plan's role")
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await post(`/v1/users/${key}/pause`)
    expect(await press()).toContain('paused')
    expect(rolesOf()).toEqual([])
    await post(`/v1/users/${key}/resume`)
    await post(`/v1/plans/${plan}/edit`, { chat_role_id: HIGH_ROLE })
    expect(await press()).toContain('above mine')
    await post(`/v1/plans/${plan}/edit`, { chat_role_id: null })
    expect(await press()).toContain('Your plan has no role')
    await post(`/v1/plans/${plan}/edit`, { chat_role_id: CUSTOMER_ROLE })
    discord.outage = '500'
    expect(await press()).toContain('at the moment')
    discord.outage = undefined
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await later(2 * DAY)
    expect(await press()).toContain('expired')
  })

  it('stay when the bot is disconnected or its project deleted', async () => {
    await sell()
    await sync()
    await post(`${scene.path}/discord/disconnect`)
    await sync()
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
    await post(`${scene.path}/discord/connect`, { bot_token: discord.token })
    const { body } = await post(`${scene.path}/remove`)
    expect(body.success).toBe(true)
    await sync()
    expect(discord.servers[0]?.id).toBe(SERVER)
    expect(rolesOf()).toEqual([CUSTOMER_ROLE])
  })
})
