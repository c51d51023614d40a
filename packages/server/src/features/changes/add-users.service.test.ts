/** Adding many users: readers never see a partial addition, and other writes run between its slices. */
import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { countsOf, keysOf } from '../../../test/endpoints/users-of.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { orderOf } from '../../../test/import-orders.ts'
import { bindDevice, createProject, createTier, createUser } from '../../../test/nouns.ts'
import { change } from '../../../test/store/change-rows.ts'
import { insertRows, rowOf, rowsOf } from '../../../test/stored.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { prune } from '../../jobs/prune.ts'
import { importUsers } from '../imports/import-users.ts'
import { BLANK } from '../keys/blank.ts'
import { generateUsers } from '../keys/generate.ts'
import { insertUsers } from '../keys/store/user-bulk.ts'
import { findRunningUser } from '../keys/store/users.ts'
import { findProjectSubject, type ProjectSubject } from '../projects/store/subjects.ts'
import { openEvent } from '../webhooks/events/events.ts'
import { SLICE } from './customer-lock.ts'
import { updateDoneChange } from './store/changes.ts'
import { endLeftChanges } from './unfinished-additions.ts'

const COUNT = 3 * SLICE

describe.each(engines)('with many users on $name', (engine) => {
  const { at } = serverOn(engine, { config: { generateLimit: COUNT } })

  const placeOf = async (account = {}) => {
    const owner = await at().createCustomer(account)
    return { owner, project: await createProject(owner) }
  }
  const subjectOf = async (owner: Owner, project: string): Promise<ProjectSubject> => {
    const { db } = at().deps
    const row = await db.read
      .selectFrom('customers')
      .select('api_key_hash')
      .where('id', '=', owner.id)
      .executeTakeFirstOrThrow()
    const subject = await findProjectSubject(db.read, { apiKeyHash: row.api_key_hash }, project)
    if (!subject) throw new Error('the project is gone')
    return subject
  }
  const onlyOn = (db: Deps['db']): Deps => ({ ...at().deps, db, unauditedDb: db })
  /** Dependencies that call `after` after each slice, with the number of slices so far. */
  const watched = (after: (slices: number) => Promise<void>): Deps => {
    const { db } = at().deps
    let slices = 0
    const bulk: Deps['db']['bulk'] = async (change) => {
      const value = await db.bulk(change)
      slices += 1
      await after(slices)
      return value
    }
    return onlyOn({ ...db, bulk })
  }
  const entriesOf = (project: string, count = COUNT) =>
    Array.from({ length: count }, (_, i) => ({
      key: `${project.slice(-8)}-${i}`,
      chat_id: `chat ${i}`,
      fingerprint: `device ${i}`,
      executor: 'Wave',
    }))

  test('no reader sees part of an import, and all of it is visible with the response', async () => {
    const { owner, project } = await placeOf()
    const entries = entriesOf(project)
    const first = String(entries[0]?.key)
    const before = await createUser(owner, project)
    const seen: unknown[] = []
    const deps = watched(async () => {
      seen.push([
        await keysOf(owner, project),
        ((await owner.get(`/projects/${project}/users/filter?executor=Wave`)).body.users as []).length,
        ((await owner.get(`/projects/${project}/users/filter?search=${first}`)).body.users as []).length,
        JSON.parse(
          (await owner.post(`/projects/${project}/users/export`, { type: 'json' })).string('exported'),
        ).length,
        (await owner.get(`/users/${first}`)).status,
        await findRunningUser(at().deps.db.read, project, first),
        (await countsOf(at(), project))[0],
      ])
    })
    const imported = await importUsers(deps, await subjectOf(owner, project), orderOf(entries))
    expect(imported).toMatchObject({ imported: COUNT, skipped: 0 })
    expect(seen).toEqual(Array(COUNT / SLICE).fill([[before], 0, 0, 1, 404, null, 1]))
    expect((await keysOf(owner, project)).length).toBe(COUNT + 1)
    expect((await owner.get(`/users/${first}`)).status).toBe(200)
    expect(await countsOf(at(), project)).toEqual([COUNT + 1, COUNT + 1])
  })

  test('other writes proceed between the slices', async () => {
    const { owner, project } = await placeOf()
    const other = await placeOf()
    const made: number[] = []
    const deps = watched(async (slices) => {
      await createUser(other.owner, other.project)
      made.push(slices)
    })
    const generated = await generateUsers(deps, await subjectOf(owner, project), { amount: COUNT })
    expect(generated).toMatchObject({ count: COUNT })
    expect(made).toEqual([1, 2, 3])
  })

  test('an import that exceeds the service tier is rejected before anything is written', async () => {
    const tier = await createTier(at(), { max_users: SLICE })
    const { owner, project } = await placeOf({ tier })
    const { db } = at().deps
    const forbidden = async (): Promise<never> => {
      throw new Error('a refused import wrote')
    }
    const deps = onlyOn({ ...db, bulk: forbidden, transaction: forbidden })
    const refused = await importUsers(deps, await subjectOf(owner, project), orderOf(entriesOf(project)))
    expect(refused).toMatchObject({ reason: 'too_many_users_to_import' })
  })

  test('an import that no longer fits when it ends leaves nothing behind, and can be repeated', async () => {
    const tier = await createTier(at(), { max_users: COUNT })
    const { owner, project } = await placeOf({ tier })
    const deps = watched(async (slices) => {
      if (slices === 1) await createUser(owner, project)
    })
    const subject = await subjectOf(owner, project)
    const refused = await importUsers(deps, subject, orderOf(entriesOf(project)))
    expect(refused).toMatchObject({ reason: 'too_many_users_to_import' })
    expect(await countsOf(at(), project)).toEqual([1, 1])
    const again = await importUsers(at().deps, subject, orderOf(entriesOf(project, COUNT - 1)))
    expect(again).toMatchObject({ imported: COUNT - 1, skipped: 0 })
  })

  test('users left behind by a crashed import are invisible, and the cleanup job or the next change deletes them', async () => {
    const { owner, project } = await placeOf()
    const subject = await subjectOf(owner, project)
    let isDown = false
    const { db } = at().deps
    const bulk: Deps['db']['bulk'] = async (change) => {
      if (isDown) throw new Error('the process is gone')
      isDown = true
      return db.bulk(change)
    }
    const crashing = onlyOn({ ...db, bulk })
    const crash = async () => {
      isDown = false
      await expect(importUsers(crashing, subject, orderOf(entriesOf(project)))).rejects.toThrow(
        'the process is gone',
      )
      expect(await keysOf(owner, project)).toEqual([])
      expect(await countsOf(at(), project)).toEqual([0, SLICE])
    }
    await crash()
    const job = prune(at().deps, () => at().clock.now)
    while (await job.run(new AbortController().signal));
    expect(await countsOf(at(), project)).toEqual([0, 0])
    await crash()
    expect(await importUsers(at().deps, subject, orderOf(entriesOf(project)))).toMatchObject({
      imported: COUNT,
    })
    expect(await countsOf(at(), project)).toEqual([COUNT, COUNT])
  })

  test('users that another process is adding block other changes of the account until its lease expires', async () => {
    const { owner, project } = await placeOf()
    const open = { ...change, state: 'open', customer_id: owner.id, project_id: project } as const
    const values = { ...open, touched_at: at().clock.now }
    await insertRows(at(), 'changes', values)
    const busy = await owner.post(`/projects/${project}/users/purge`)
    expect(busy.status).toBe(429)
    expect(busy.headers.get('retry-after')).toBe('5')
    await endLeftChanges(at().deps)
    expect((await owner.post(`/projects/${project}/users/purge`)).status).toBe(200)
  })

  test('an unfinished change hides its users and reserves their keys until it is done, however old it is', async () => {
    const { owner, project } = await placeOf()
    const hidden = { ...change, id: 'chg_hidden', state: 'open', customer_id: owner.id } as const
    const values = { ...hidden, project_id: project, touched_at: at().clock.now }
    await insertRows(at(), 'changes', values)
    const { seq } = await rowOf(at(), 'changes', { id: hidden.id })
    const { db } = at().deps
    const place = { projectId: project, createdAt: 1, change: seq }
    await db.transaction((tx) => insertUsers(tx, place, [{ ...BLANK, key: 'hidden-key' }]))
    const job = prune(at().deps, () => at().clock.now)
    while (await job.run(new AbortController().signal));
    expect((await owner.get('/users/hidden-key')).status).toBe(404)
    expect(await keysOf(owner, project)).toEqual([])
    const taken = await db.read.selectFrom('users').select('key').where('key', '=', 'hidden-key').execute()
    expect(taken).toHaveLength(1)
    expect(await db.transaction((tx) => updateDoneChange(tx, seq))).toBe(true)
    expect((await owner.get('/users/hidden-key')).status).toBe(200)
  })

  test('one change runs per account, two wait, and more are rejected', async () => {
    const { owner, project } = await placeOf()
    const subject = await subjectOf(owner, project)
    let running = 0
    let most = 0
    const { db } = at().deps
    const bulk: Deps['db']['bulk'] = async (change) => {
      running += 1
      most = Math.max(most, running)
      return db.bulk(change).finally(() => {
        running -= 1
      })
    }
    const deps = onlyOn({ ...db, bulk })
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => generateUsers(deps, subject, { amount: SLICE + 1 })),
    )
    const refused = answers.filter((answer) => answer instanceof Refused)
    expect(refused.map(({ reason }) => reason)).toEqual(['rate_limited', 'rate_limited'])
    expect(most).toBe(1)
    expect(await countsOf(at(), project)).toEqual([3 * (SLICE + 1), 3 * (SLICE + 1)])
  })

  test('resetting all users unbinds each of them once, in slices, with a single event', async () => {
    const { owner, project } = await placeOf()
    await importUsers(at().deps, await subjectOf(owner, project), orderOf(entriesOf(project)))
    const information_webhook = 'https://hooks.example.com/information'
    await owner.post(`/projects/${project}/edit`, { information_webhook })
    expect((await owner.post(`/projects/${project}/users/resetall`)).status).toBe(200)
    const { read } = at().deps.db
    const states = await read
      .selectFrom('users')
      .select(['fingerprint_assigned', 'total_fingerprint_resets'])
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('project_id', '=', project)
      .groupBy(['fingerprint_assigned', 'total_fingerprint_resets'])
      .execute()
    expect(states).toEqual([{ fingerprint_assigned: 0, total_fingerprint_resets: 1, count: COUNT }])
    const events = await read
      .selectFrom('outbox')
      .select(['id', 'data'])
      .where('project_id', '=', project)
      .where('type', '=', 'users.fingerprint_reset_all')
      .execute()
    expect(events.map((event) => JSON.parse(openEvent(at().deps, event).data).count)).toEqual([COUNT])
  })

  test('clearing removes every existing user and their fingerprints, in slices', async () => {
    const { owner, project } = await placeOf()
    await importUsers(at().deps, await subjectOf(owner, project), orderOf(entriesOf(project)))
    const single = await createUser(owner, project)
    await bindDevice(at(), project, single)
    expect((await owner.post(`/projects/${project}/users/clear`)).status).toBe(200)
    expect(await countsOf(at(), project)).toEqual([0, 0])
    const left = await rowsOf(at(), 'user_fingerprints', { project_id: project })
    expect(left).toEqual([])
  })
})
