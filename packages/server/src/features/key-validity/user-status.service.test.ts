/**
 * User status: each status matches its definition, lists and counts agree, and every user has exactly one
 * status.
 */

import { USER_STATUSES } from '@scriptward/client/user-statuses'
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { bindDevice, changeUser, createOwner, createUser, readUser } from '../../../test/nouns.ts'
import { adKey } from '../../../test/store/rows.ts'
import { changeRows, insertRows } from '../../../test/stored.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { countNewUsers } from '../keys/lists.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { endOfPeriod } from './quota-periods.ts'

/** When quotas per day and per month reset after `START`. */
const TODAY = endOfPeriod('day', START)
const MONTH = endOfPeriod('month', START)

type Told = { readonly note: string; readonly status: string }

/** The columns of each user. Each name begins with the expected status. */
const usersOf = (plan_id: string): Record<string, object> => ({
  active: { executions: 1 },
  'active by device': { fingerprint_assigned: 1 },
  'active after its blacklist': { executions: 3, blacklisted: 1, blacklist_expires: START },
  unused: {},
  'unused and limited': { key_expires: START + 1 },
  expired: { key_expires: START },
  blacklisted: { blacklisted: 1, key_expires: START - 1 },
  'blacklisted for a time': { blacklisted: 1, blacklist_expires: START + 1, executions: 9 },
  paused: { paused_at: START - 5, key_expires: START - 1 },
  'blacklisted and paused': { paused_at: START, blacklisted: 1 },
  'not_started by time': { starts_at: START + 1 },
  'not_started by clock': { clock_waits: 1, executions: 3 },
  'grace of its plan': { plan_id, key_expires: START, executions: 1 },
  'expired after its grace': { plan_id, key_expires: START - 1000 },
  'quota_spent of its plan': { plan_id, quota_used: 2, quota_until: TODAY, executions: 2 },
  'active in a new period': { plan_id, quota_used: 2, quota_until: START, executions: 2 },
  'active below its quota': { plan_id, quota_used: 1, quota_until: TODAY, executions: 2 },
  'active after a quota per month': { plan_id, quota_used: 2, quota_until: MONTH, executions: 2 },
  locked: { ad_system_id: 'sys_1' },
  'active from ads': { ad_system_id: 'sys_1', executions: 1 },
})

describe.each(engines)('the status of users on $name', (engine) => {
  const { at } = serverOn(engine)

  it('is the first one that applies, in lists and in counts', async () => {
    const { owner, project } = await createOwner(at())
    const plan = { name: 'Pro', grace: 1000, quota: { count: 2, period: 'day' } }
    const plan_id = (await owner.post(`/v1/projects/${project}/plans/new`, plan)).string('plan_id')
    const users = usersOf(plan_id)
    const keys = new Map<string, string>()
    for (const [note, changes] of Object.entries(users)) {
      const key = await createUser(owner, project, { note })
      await changeUser(at(), key, { note, ...changes })
      keys.set(note, key)
    }
    const lock = { visitor: 'v', network: 'n', browser: 'b', locked_network: 'n', locked_until: START }
    for (const note of ['locked', 'active from ads'])
      await insertRows(at(), 'ad_keys', {
        ...lock,
        user_key: keys.get(note) ?? newUserKey(at().deps.random),
        project_id: project,
        system_id: 'sys_1',
        created_at: START,
      })
    const counts: Record<string, number> = {}
    for (const status of USER_STATUSES) {
      const { body } = await owner.get(`/v1/projects/${project}/users/filter?status=${status}`)
      const notes = (body.users as { note: string }[]).map(({ note }) => note)
      expect(notes).toEqual(Object.keys(users).filter((note) => note.startsWith(status)))
      counts[status] = notes.length
    }
    expect((await owner.get(`/v1/projects/${project}/users/counts`)).body.counts).toEqual(counts)
    const listed = (await owner.get(`/v1/projects/${project}/users`)).body.users as Told[]
    expect(listed.filter(({ note, status }) => !note.startsWith(status))).toEqual([])
    expect(listed).toHaveLength(keys.size)
    for (const [note, key] of keys)
      expect(note.startsWith((await readUser(owner, key)).status as string), note).toBe(true)
    const both = await owner.get(`/v1/projects/${project}/users/filter?status=active&search=device`)
    expect(both.body.users).toMatchObject([{ note: 'active by device' }])
    const none = await owner.get(`/v1/projects/${project}/users/filter?status=asleep`)
    expect(none.error.type).toBe('invalid_request')
    const old = await owner.get(`/projects/${project}/users/filter?status=active`)
    expect(old.error.type).toBe('invalid_request')
  })

  it('follows every change to the values it depends on', async () => {
    const { owner, project } = await createOwner(at())
    const key = await createUser(owner, project, { chat_id: '4711' })
    const status = async () => {
      const { body } = await owner.get(`/v1/projects/${project}/users/counts`)
      return Object.entries(body.counts as Record<string, number>).find(([, count]) => count === 1)?.[0]
    }
    const lock = (changes: object) => changeRows(at(), 'ad_keys', { user_key: key }, changes)
    expect(await status()).toBe('active')
    await owner.post(`/v1/users/${key}/edit`, { chat_id: '' })
    expect(await status()).toBe('unused')
    await bindDevice(at(), project, key)
    expect(await status()).toBe('active')
    await owner.post(`/v1/users/${key}/reset`, { force: true })
    expect(await status()).toBe('unused')
    await insertRows(at(), 'ad_keys', { ...adKey, user_key: key, project_id: project })
    expect(await status()).toBe('unused')
    await lock({ locked_network: '10.0.0.0/24' })
    expect(await status()).toBe('locked')
    await changeUser(at(), key, { fingerprint_assigned: 1 })
    expect(await status()).toBe('locked')
    await lock({ locked_network: null })
    expect(await status()).toBe('active')
    await changeUser(at(), key, { fingerprint_assigned: 0 })
    await lock({ locked_network: '10.0.0.0/24' })
    await changeUser(at(), key, { executions: 1 })
    expect(await status()).toBe('active')
    await lock({ locked_network: '10.0.1.0/24' })
    expect(await status()).toBe('active')
  })
  it('does not affect the count of new users, which is read in batches', async () => {
    const { owner, project } = await createOwner(at())
    const other = await createOwner(at())
    await createUser(other.owner, other.project)
    const start = at().clock.now
    await owner.post(`/projects/${project}/users/generate`, { amount: 105 })
    at().clock.now = start + 1000
    const key = await createUser(owner, project)
    await createUser(owner, project)
    const count = async (from: number, to: number) =>
      (await owner.get(`/v1/projects/${project}/users/created?from=${from}&to=${to}`)).body.count
    const whole = await owner.get(`/v1/projects/${project}/users/created`)
    expect(whole.body).toEqual({ success: true, count: 107 })
    expect(await count(start, start + 1000)).toBe(105)
    expect(await count(start + 1, start + 1001)).toBe(2)
    expect(await count(start + 1001, start + 2000)).toBe(0)
    await owner.post(`/v1/users/${key}/remove`)
    expect(await count(start + 1000, start + 1001)).toBe(1)
    const { deps } = at()
    const row = await deps.db.read.selectFrom('projects').selectAll().where('id', '=', project).execute()
    const inSlices = { ...deps, db: { ...deps.db, rowsAtOnce: 1 } }
    expect(await countNewUsers(inSlices, row[0] as ProjectRow, { from: start })).toBe(106)
    at().clock.now = start
  })
})
