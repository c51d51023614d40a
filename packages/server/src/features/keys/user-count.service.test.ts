/** A project's stored user count stays correct after any sequence of operations. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createProject } from '../../../test/nouns.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { changeUserCount } from '../projects/store/projects.ts'
import { deleteExpiredUsers } from './delete-expired-users.ts'
import { insertUser } from './store/users.ts'

const QUARTER_MS = 900_000
const SIGNAL = new AbortController().signal

/** An operation on one of two projects. The number selects a user, or sets how many users to create. */
const step = fc.record({
  project: fc.nat({ max: 1 }),
  number: fc.nat({ max: 6 }),
  word: fc.constantFrom(
    'new',
    'new with a taken chat id',
    'earn by ads',
    'generate',
    'import',
    'remove',
    'remove twice',
    'purge',
    'clear',
    'delete expired',
    'remove the project',
  ),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

describe.each(engines)('the user count on $name', (engine) => {
  const { at } = serverOn(engine)
  const rounds: Round[] = []
  beforeAll(async () => {
    for (let i = 0; i < 3; i += 1) rounds.push(await begin())
  })
  afterAll(() => {
    rounds.length = 0
  })

  type Round = { readonly owner: Owner; readonly projects: string[] }

  async function begin(): Promise<Round> {
    const owner = await at().createCustomer()
    return { owner, projects: [await wanting(owner), await wanting(owner)] }
  }

  async function wanting(owner: Owner): Promise<string> {
    const project = await createProject(owner)
    await owner.post(`/projects/${project}/edit`, { delete_expired_users: true })
    return project
  }

  async function take({ owner, projects }: Round, { project: index, number, word }: Step): Promise<void> {
    const project = projects[index] ?? ''
    const users = `/projects/${project}/users`
    const now = at().clock.now
    switch (word) {
      case 'new':
        return void (await owner.post(`${users}/new`, number < 3 ? {} : { key_expires: now - QUARTER_MS }))
      case 'new with a taken chat id':
        return void (await owner.post(`${users}/new`, { chat_id: `${project} ${number % 2}` }))
      case 'earn by ads':
        return earn(owner, project, number < 3 ? null : now - QUARTER_MS)
      case 'generate':
        return void (await owner.post(`${users}/generate`, { amount: Math.max(1, number) }))
      case 'import':
        return void (await owner.post(`${users}/import`, { users: imported(number, project) }))
      case 'remove':
      case 'remove twice': {
        const { users: list } = (await owner.get(users)).body as { users: { key: string }[] }
        const key = list[number % Math.max(1, list.length)]?.key ?? 'none'
        const times = word === 'remove' ? 1 : 2
        return void (await Promise.all(
          Array.from({ length: times }, () => owner.post(`/users/${key}/remove`)),
        ))
      }
      case 'purge':
      case 'clear':
        return void (await owner.post(`${users}/${word}`))
      case 'delete expired':
        return void (await deleteExpiredUsers(at().deps, () => now).run(SIGNAL))
      default:
        await owner.post(`/projects/${project}/remove`)
        projects[index] = await wanting(owner)
    }
  }

  /** Creates an ad key as a claim would, but without the ad steps. */
  async function earn(owner: Owner, project_id: string, key_expires: number | null): Promise<void> {
    const { db, random, now } = at().deps
    await db.transaction(async (tx) => {
      await changeUserCount(tx, owner.id, project_id, { users: 1, fromAds: 1 })
      const key = newUserKey(random)
      await insertUser(tx, { key, project_id, key_expires, created_at: now(), ad_system_id: 'ads_1' })
    })
  }

  /** Returns valid entries, entries to be skipped, and entries that repeat a chat ID. */
  function imported(count: number, project: string) {
    const entries = Array.from({ length: count }, (_, i) => ({ chat_id: `${project} ${i % 4}` }))
    return [...entries, {}, 7, { note: [] }]
  }

  async function expectRight({ owner, projects }: Round): Promise<void> {
    const { read } = at().deps.db
    let total = 0
    let earned = 0
    for (const project of projects) {
      const rows = await read
        .selectFrom('users')
        .select('ad_system_id')
        .where('project_id', '=', project)
        .execute()
      const list = await owner.get(`/v1/projects/${project}/users?limit=1`)
      expect(list.body.total).toBe(rows.length)
      total += rows.length
      earned += rows.filter((row) => row.ad_system_id !== null).length
    }
    const { body } = await owner.get('/v1/account')
    expect(body.customer).toMatchObject({ total_users: total, total_ad_users: earned })
  }

  it('is correct after any sequence of operations', async () => {
    const steps = fc.array(step, { minLength: 5, maxLength: 15 })
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const round = rounds[0] as Round
        for (const one of taken) await take(round, one)
        await expectRight(round)
      }),
      { numRuns: 12, endOnFailure: true },
    )
  })

  it('is correct after concurrent operations', async () => {
    const steps = fc.array(
      step.filter(({ word }) => word !== 'remove the project'),
      { minLength: 10, maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const round = rounds[1] as Round
        await Promise.all(taken.map((one) => take(round, one)))
        await expectRight(round)
      }),
      { numRuns: 8, endOnFailure: true },
    )
  })

  it('enforces the limit of the service tier exactly', async () => {
    const { owner, projects } = rounds[2] as Round
    const limits = { max_projects: -1, max_scripts: -1, free_for_all: -1, obfuscations: -1, max_ad_users: -1 }
    const tier = { name: 'ten', price: 0, max_users: 10, max_checkpoints: -1, max_systems: -1, ...limits }
    await at().admin.put('/v1/admin/tiers/910', tier)
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { tier: 910 })
    const tries = Array.from({ length: 40 }, (_, i) => owner.post(`/projects/${projects[i % 2]}/users/new`))
    const made = (await Promise.all(tries)).filter(({ status }) => status === 200)
    expect(made).toHaveLength(10)
    expect((await owner.post(`/projects/${projects[0]}/users/generate`, { amount: 1 })).status).not.toBe(200)
    await owner.post(`/users/${made[0]?.string('user_key')}/remove`)
    expect((await owner.post(`/projects/${projects[1]}/users/generate`, { amount: 2 })).status).not.toBe(200)
    expect((await owner.post(`/projects/${projects[1]}/users/generate`, { amount: 1 })).status).toBe(200)
    await expectRight({ owner, projects })
  })
})
