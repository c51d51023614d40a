/**
 * Plays through the first year of an author who migrates from another service: plans, first uses, devices, a
 * pause, a block, features changed while scripts run, an expiry with a kept version, an undone removal, and
 * an export. Each step builds on the previous one.
 */
import { describe, expect, test } from 'vitest'
import { anyEngine } from '../packages/server/test/databases.ts'
import { START } from '../packages/server/test/harness.ts'
import { readUser } from '../packages/server/test/nouns.ts'
import { component, ProtocolClient } from '../packages/server/test/protocol/client.ts'
import { alongside, type Job, liveScene, until } from './live-scene.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const LUA = { command: 'lua5.1', speed: 5 } as const

/** A script that prints its version and features, and reports changes until it is stopped. */
const WATCHING = `
ward.on_change = function(name, new, old) print('changed', name, new, old) end
print('runs', ward.script_version, ward.plan, ward.limit('slots'))
while ward.features.done == nil do ward.step(1) end`
/** Like `WATCHING`, but ends immediately. */
const SHORT = `print('runs', ward.script_version, ward.plan, ward.limit('slots'))`

/** An export from the other service: a used key, an unused key, a blocked key, and an unreadable record. */
const RECORDS = [
  ...[
    { user_key: 'old-ada-0001', auth_expire: START / 1000 + 86_400, total_executions: 41, note: 'order 7' },
  ],
  ...[{ user_key: 'old-bob-0002', auth_expire: -1, total_executions: 0, discord_id: '18465' }],
  ...[{ user_key: 'old-eve-0003', auth_expire: -1, banned: 1, ban_reason: 'leaked', ban_expire: -1 }],
  ...[{ user_key: 'old-bad-0004', auth_expire: 'soon' }],
]
const ADA = 'old-ada-0001'
const BOB = 'old-bob-0002'
const EVE = 'old-eve-0003'

describe.each(anyEngine)('a year of an author on $name', (engine) => {
  const { at, newJob } = liveScene(engine)

  test('goes from moving in to the export without losing anything', async () => {
    const job = await newJob(SHORT)
    const author = new Author(job, at().url, (ms) => {
      at().clock.now += ms
    })
    await moveIn(author)
    const plan = await sellByPlan(author)
    await firstUse(author)
    await secondDevice(author)
    await drift(author)
    await pauseForAHoliday(author)
    await banWhoLeaks(author)
    await changeFeatures(author, plan)
    await endWithTheKeptVersion(author)
    await purgeByMistake(author)
    await exportAll(author)
  })
})

type Members = Readonly<Record<string, unknown>>

class Author {
  readonly job: Job
  readonly client: ProtocolClient
  readonly later: (ms: number) => void

  constructor(job: Job, url: string, later: (ms: number) => void) {
    this.job = job
    this.client = new ProtocolClient(url)
    this.later = later
  }

  async post(path: string, members: object = {}): Promise<Members> {
    const { status, body, text } = await this.job.owner.post(`/v1${path}`, members)
    expect([status, text]).toEqual([200, expect.any(String)])
    return body
  }

  ofProject(path: string, members: object = {}): Promise<Members> {
    return this.post(`/projects/${this.job.projectId}${path}`, members)
  }

  user(key: string): Promise<Members> {
    return readUser(this.job.owner, key)
  }

  /** Returns the result that a loader on this machine gets. */
  verdict(key: string, fp: Readonly<Record<string, string>>): Promise<string> {
    return this.client.verdict(this.job.scriptId, { key, fp })
  }

  /** Runs a script in real Lua on this machine. */
  async play(key: string): Promise<string> {
    const { stdout, stderr } = await this.job.run({ ...LUA, key })
    return stdout || (/\((\w+)\)/.exec(stderr)?.[1] ?? stderr)
  }

  async devices(key: string): Promise<readonly Members[]> {
    const { body } = await this.job.owner.get(`/v1/users/${key}/devices`)
    return body.devices as readonly Members[]
  }

  /** Returns everything that an undo restores, which excludes the networks of the last week. */
  async stateOf(...keys: string[]): Promise<readonly unknown[]> {
    const read = async (key: string) => [await this.user(key), await this.devices(key)]
    const all = await Promise.all(keys.map(read))
    return all.map(([user, devices]) => [{ ...user, networks: 0, refused_devices: 0 }, devices])
  }
}

async function moveIn(author: Author): Promise<void> {
  const file = { users: RECORDS, from: 'auto' }
  const expected = { from: 'luarmor', imported: 3, skipped: 1, skipped_entries: [{ index: 3 }] }
  expect(await author.ofProject('/users/import', { ...file, dry_run: true })).toMatchObject(expected)
  expect((await author.job.owner.get(`/v1/users/${ADA}`)).status).toBe(404)
  expect(await author.ofProject('/users/import', file)).toMatchObject(expected)
  expect(await author.ofProject('/users/import', file)).toMatchObject({ imported: 0 })
  expect(await author.user(ADA)).toMatchObject({ executions: 41, note: 'order 7', key_expires: START + DAY })
  expect(await author.play(EVE)).toBe('blacklisted')
}

async function sellByPlan(author: Author): Promise<string> {
  const { plan_id } = await author.ofProject('/plans/new', {
    ...{ name: 'Pro', clock: { basis: 'first_use', duration: 30 * DAY }, after_expiry: 'keep_version' },
    ...{ max_devices: 2, match: 'tolerant', features: { slots: 3 } },
  })
  await author.post(`/users/${BOB}/edit`, { plan_id })
  expect(await author.user(BOB)).toMatchObject({ plan_id, status: 'not_started', key_expires: null })
  return plan_id as string
}

async function firstUse(author: Author): Promise<void> {
  author.later(60 * DAY)
  expect(await author.play(ADA)).toBe('key_expired')
  expect(await author.play(BOB)).toBe('runs\t1\tPro\t3\n')
  expect(await author.user(BOB)).toMatchObject({ status: 'active', key_expires: START + 90 * DAY })
}

const laptop: Record<string, string> = Object.fromEntries(
  ['machine_id', 'gethwid', 'hostname', 'cpu', 'os_user'].map((name) => [name, component(`lap ${name}`)]),
)

async function secondDevice(author: Author): Promise<void> {
  const third = { machine_id: component('third'), gethwid: component('third') }
  expect(await author.verdict(BOB, laptop)).toBe('granted')
  expect(await author.verdict(BOB, third)).toBe('fingerprint_mismatch')
  expect(await author.devices(BOB)).toHaveLength(2)
}

/** Changes one component of the laptop per day, and expects it to count as the same device each time. */
async function drift(author: Author): Promise<void> {
  for (const name of Object.keys(laptop)) {
    author.later(DAY)
    laptop[name] = component(`mended ${name}`)
    expect([name, await author.verdict(BOB, laptop)]).toEqual([name, 'granted'])
  }
  expect(await author.devices(BOB)).toHaveLength(2)
}

async function pauseForAHoliday(author: Author): Promise<void> {
  const { key_expires: before } = await author.user(BOB)
  await author.post(`/users/${BOB}/pause`)
  author.later(100 * DAY)
  expect(await author.play(BOB)).toBe('key_paused')
  await author.post(`/users/${BOB}/resume`)
  expect(await author.user(BOB)).toMatchObject({ status: 'active', key_expires: Number(before) + 100 * DAY })
}

async function banWhoLeaks(author: Author): Promise<void> {
  const { user_key: thief } = await author.ofProject('/users/new')
  const machine = { machine_id: component('thief') }
  expect(await author.verdict(String(thief), machine)).toBe('granted')
  await author.ofProject('/bans/new', { kind: 'device', user_key: thief, reason: 'leaked' })
  const { user_key: another } = await author.ofProject('/users/new')
  expect(await author.verdict(String(another), machine)).toBe('blacklisted')
  expect(await author.verdict(BOB, laptop)).toBe('granted')
}

/** Changes the plan's features while a script with one of its keys runs in real Lua. */
async function changeFeatures(author: Author, plan: string): Promise<void> {
  const { job } = author
  await job.change('update', { script: WATCHING })
  const running = job.run({ ...LUA, key: BOB })
  await alongside(running, async () => {
    await job.session()
    await author.post(`/plans/${plan}/edit`, { features: { slots: 5, turbo: true } })
    await author.post(`/plans/${plan}/edit`, { features: { slots: 5, done: true } })
  })
  const { stdout } = await running
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining(['runs\t2\tPro\t3', 'changed\tfeatures.slots\t5\t3']),
  )
  await author.post(`/plans/${plan}/edit`, { features: { slots: 5 } })
  await until('the end of its session', async () => (await job.sessions()).length === 0)
  await job.change('update', { script: SHORT })
}

async function endWithTheKeptVersion(author: Author): Promise<void> {
  const { job } = author
  expect(await author.play(BOB)).toBe('runs\t3\tPro\t5\n')
  author.later(31 * DAY)
  await job.change('update', { script: SHORT })
  const { user_key: buyer } = await author.ofProject('/users/new')
  expect(await author.play(BOB)).toBe('runs\t3\tPro\t5\n')
  expect(await author.play(String(buyer))).toBe('runs\t4\tnil\t0\n')
  expect(await author.user(BOB)).toMatchObject({ status: 'expired' })
}

/** Removes the unused keys, and then all keys, including devices. */
async function purgeByMistake(author: Author): Promise<void> {
  for (const call of ['/users/purge', '/users/clear']) {
    const before = await author.stateOf(BOB, EVE)
    const { count } = await author.ofProject(call, { dry_run: true })
    const { change_id } = await author.ofProject(call)
    expect(await author.play(EVE)).toBe('invalid_key')
    const { change } = await author.post(`/changes/${change_id}/undo`)
    expect(change).toMatchObject({ state: 'undone', restored: count, skipped: 0 })
    expect(await author.stateOf(BOB, EVE)).toEqual(before)
  }
  expect(await author.play(EVE)).toBe('blacklisted')
  expect(await author.play(BOB)).toBe('runs\t3\tPro\t5\n')
}

async function exportAll(author: Author): Promise<void> {
  const { owner, projectId } = author.job
  const { text } = await owner.post(`/v1/projects/${projectId}/users/export`, { type: 'json' })
  for (const { user_key } of RECORDS.slice(0, 3)) expect(text).toContain(user_key)
  expect(text).not.toContain('old-bad-0004')
}
