/**
 * Expired users are deleted exactly once, only if the project enables it, and regardless of concurrent
 * changes.
 */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engines, postgres, reopen } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { bindDevice, countComponents, createProject } from '../../../test/nouns.ts'
import { plant, project } from '../../../test/store/rows.ts'
import { rowOf, rowsOf } from '../../../test/stored.ts'
import type { Database } from '../../database/engine/db.ts'
import { openKeyring, type Secrets } from '../../platform/secrets/keyring.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { changeUserCount } from '../projects/store/projects.ts'
import { deleteExpiredUsers } from './delete-expired-users.ts'
import { insertUser } from './store/users.ts'

const QUARTER_MS = 900_000
/** The job's limit of projects per run. */
const PROJECTS_AT_ONCE = 100
const SIGNAL = new AbortController().signal

describe.each(engines)('deleting expired users on $name', (engine) => {
  const { at } = serverOn(engine)

  async function projectOf(owner: Owner, delete_expired_users = true): Promise<string> {
    const project = await createProject(owner)
    await owner.post(`/projects/${project}/edit`, { delete_expired_users })
    return project
  }

  /** Inserts `count` users with this expiry date directly into the database. */
  async function addUsers(
    owner: Owner,
    project: string,
    users: { count: number; key_expires: number | null },
  ) {
    const keys = Array.from({ length: users.count }, () => randomKey())
    await at().deps.db.transaction(async (tx) => {
      for (const key of keys)
        await insertUser(tx, { key, project_id: project, created_at: 1, key_expires: users.key_expires })
      await changeUserCount(tx, owner.id, project, { users: users.count, fromAds: 0 })
    })
    return keys
  }

  const run = (now: number, db: Database = at().deps.db) =>
    deleteExpiredUsers({ db, random: randomBytes, secrets: at().deps.secrets }, () => now).run(SIGNAL)

  async function runAll(now: number): Promise<void> {
    while (await run(now));
  }

  async function countUsers(project: string): Promise<{ rows: number; told: number }> {
    const rows = await rowsOf(at(), 'users', { project_id: project })
    const row = await rowOf(at(), 'projects', { id: project })
    return { rows: rows.length, told: row.total_users }
  }

  it('happens a quarter of an hour after expiry and not a millisecond earlier', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const project = await projectOf(owner)
    const made = await owner.post(`/projects/${project}/users/new`, { key_expires: now })
    const key = made.string('user_key')
    await bindDevice(at(), project, key)
    await runAll(now + QUARTER_MS - 1)
    expect((await owner.get(`/users/${key}`)).status).toBe(200)
    await runAll(now + QUARTER_MS)
    expect((await owner.get(`/users/${key}`)).status).toBe(404)
    expect(await countComponents(at(), key)).toBe(0)
    expect(await countUsers(project)).toEqual({ rows: 0, told: 0 })
  })

  it('keeps keys that never expire or have not expired yet, and projects that disabled it', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const [wants, wantsNot] = [await projectOf(owner), await projectOf(owner, false)]
    await addUsers(owner, wants, { count: 2, key_expires: null })
    await addUsers(owner, wants, { count: 3, key_expires: now + 1 })
    await addUsers(owner, wantsNot, { count: 4, key_expires: 1 })
    await runAll(now + QUARTER_MS)
    expect(await countUsers(wants)).toEqual({ rows: 5, told: 5 })
    expect(await countUsers(wantsNot)).toEqual({ rows: 4, told: 4 })
    await owner.post(`/projects/${wantsNot}/edit`, { delete_expired_users: true })
    await runAll(now)
    expect(await countUsers(wantsNot)).toEqual({ rows: 0, told: 0 })
  })

  it('handles many users of many projects in one run, with one bulk change per project', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const [large, small] = [await projectOf(owner), await projectOf(owner)]
    await addUsers(owner, large, { count: 450, key_expires: now - QUARTER_MS })
    await addUsers(owner, small, { count: 1, key_expires: now - QUARTER_MS })
    expect(await run(now)).toBe(false)
    expect([await countUsers(large), await countUsers(small)]).toEqual([
      { rows: 0, told: 0 },
      { rows: 0, told: 0 },
    ])
    const { changes } = (await owner.get('/v1/changes')).body
    expect(changes).toMatchObject([{ count: 1 }, { count: 450 }])
  })

  it('is not held up by projects whose expired keys are all paused', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const paused: string[] = []
    for (let made = 0; made < PROJECTS_AT_ONCE; made += 1) paused.push(await projectOf(owner))
    const last = await projectOf(owner)
    for (const project of [...paused, last])
      await addUsers(owner, project, { count: 1, key_expires: now - QUARTER_MS })
    await at().deps.db.transaction((tx) =>
      tx.updateTable('users').set({ paused_at: 1 }).where('project_id', 'in', paused).execute(),
    )
    expect(await run(now)).toBe(false)
    expect(await countUsers(last)).toEqual({ rows: 0, told: 0 })
    expect(await countUsers(paused[0] ?? '')).toEqual({ rows: 1, told: 1 })
  })

  it('keeps a user whose key is extended in time', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const project = await projectOf(owner)
    const [key = ''] = await addUsers(owner, project, { count: 1, key_expires: now - QUARTER_MS })
    await owner.post(`/users/${key}/edit`, { key_expires: now + 1 })
    await runAll(now)
    expect((await owner.get(`/users/${key}`)).status).toBe(200)
  })

  it('keeps counts correct during concurrent runs, removals and creations', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const project = await projectOf(owner)
    const keys = await addUsers(owner, project, { count: 600, key_expires: now - QUARTER_MS })
    const removals = keys.filter((_, i) => i % 10 === 0).map((key) => owner.post(`/users/${key}/remove`))
    const creations = Array.from({ length: 20 }, () => owner.post(`/projects/${project}/users/new`))
    await Promise.all([...removals, ...creations, ...Array.from({ length: 6 }, () => runAll(now))])
    await runAll(now)
    expect(await countUsers(project)).toEqual({ rows: 20, told: 20 })
  })

  it('deletes a batch completely or not at all', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const project = await projectOf(owner)
    await addUsers(owner, project, { count: 5, key_expires: now - QUARTER_MS })
    const { db } = at().deps
    const killed = new Error('killed before the commit')
    const dying: Database = {
      ...db,
      read: db.read,
      transaction: (change) =>
        db.transaction(async (tx) => {
          await change(tx)
          throw killed
        }),
    }
    await expect(run(now, dying)).rejects.toBe(killed)
    expect(await countUsers(project)).toEqual({ rows: 5, told: 5 })
    await runAll(now)
    expect(await countUsers(project)).toEqual({ rows: 0, told: 0 })
  })

  it('stops between two batches on request', async () => {
    const now = at().clock.now
    const owner = await at().createCustomer()
    const project = await projectOf(owner)
    await addUsers(owner, project, { count: 5, key_expires: now - QUARTER_MS })
    const worker = deleteExpiredUsers(at().deps, () => now)
    expect(await worker.run(AbortSignal.abort())).toBe(true)
    expect((await countUsers(project)).rows).toBe(5)
    await runAll(now)
  })
})

describe('deleting expired users in two processes on PostgreSQL', () => {
  let databases: Database[] = []
  let secrets: Secrets
  let remove = async () => {}
  beforeAll(async () => {
    const location = await postgres.locate()
    databases = [await reopen(location), await reopen(location)]
    remove = location.remove
    secrets = await openKeyring(location, randomBytes, true)
  })
  afterAll(async () => {
    await Promise.all(databases.map((db) => db.close()))
    await remove()
  })

  it('skips rows locked by the other process, and deletes and counts every user once', async () => {
    const [one, other] = databases as [Database, Database]
    await one.transaction(async (tx) => {
      await plant(tx, 'projects')
      const rows = Array.from({ length: 1000 }, () => ({
        key: randomKey(),
        customer_id: project.customer_id,
        project_id: project.id,
        created_at: 1,
        key_expires: 1,
      }))
      await tx.insertInto('users').values(rows).execute()
      await tx.updateTable('projects').set({ delete_expired_users: 1, total_users: 1000 }).execute()
    })
    const clock = () => 10 * QUARTER_MS
    const loops = [one, other, one, other].map(async (db) => {
      const worker = deleteExpiredUsers({ db, random: randomBytes, secrets }, clock)
      while (await worker.run(SIGNAL));
    })
    await Promise.all(loops)
    while (await deleteExpiredUsers({ db: one, random: randomBytes, secrets }, clock).run(SIGNAL));
    const counted = await one.read.selectFrom('projects').select('total_users').executeTakeFirstOrThrow()
    const left = await one.read.selectFrom('users').select('key').execute()
    expect([counted.total_users, left.length]).toEqual([0, 0])
  })
})

function randomKey(): string {
  return newUserKey(randomBytes)
}
