/**
 * Removals and undos that are interrupted or run concurrently lose nothing and can be repeated to completion.
 */
import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { countsOf } from '../../../test/endpoints/users-of.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { orderOf } from '../../../test/import-orders.ts'
import { createProject, createScript, createUser } from '../../../test/nouns.ts'
import { instance } from '../../../test/store/rows.ts'
import { insertRows, rowOf } from '../../../test/stored.ts'
import type { Deps } from '../../deps.ts'
import { prune } from '../../jobs/prune.ts'
import { scopesOfAccount } from '../access/scopes.ts'
import { importUsers } from '../imports/import-users.ts'
import { findProjectSubject, type ProjectSubject } from '../projects/store/subjects.ts'
import { changeAll } from './change-all.ts'
import { SLICE } from './customer-lock.ts'
import { undoChange } from './undo.ts'
import { CHANGE_LEASE_MS } from './unfinished-additions.ts'

const MANY = 3 * SLICE

describe.each(engines)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { generateLimit: MANY } })

  const placeOf = async () => {
    const owner = await at().createCustomer()
    return { owner, project: await createProject(owner) }
  }
  const subjectOf = async (owner: Owner, project: string): Promise<ProjectSubject> => {
    const subject = await findProjectSubject(at().deps.db.read, { customerId: owner.id }, project)
    if (!subject) throw new Error('the project is gone')
    return subject
  }
  /** Dependencies whose database fails after the given number of bulk changes, as if the process had died. */
  const dying = (after: number): Deps => {
    const { db } = at().deps
    let done = 0
    const bulk: Deps['db']['bulk'] = async (change) => {
      done += 1
      if (done > after) throw new Error('the process is gone')
      return db.bulk(change)
    }
    return { ...at().deps, db: { ...db, bulk }, unauditedDb: { ...db, bulk } }
  }
  const askerOf = (customer: ProjectSubject['customer']) => ({
    customer,
    caller: {
      projects: undefined,
      scopes: scopesOfAccount({ admin: 0 }),
      actor: { kind: 'api_key', id: null, name: 'sw_12345' } as const,
    },
  })
  const generate = (owner: Owner, project: string) =>
    owner.post(`/v1/projects/${project}/users/generate`, { amount: MANY })
  const newestOf = async (owner: Owner) => {
    const [change] = (await owner.get('/v1/changes?limit=1')).body.changes as Record<string, unknown>[]
    return change
  }

  test('an interrupted removal is recorded with the users that it removed, and can be undone', async () => {
    const { owner, project } = await placeOf()
    await generate(owner, project)
    const subject = await subjectOf(owner, project)
    await expect(changeAll(dying(1), subject, { action: 'clear' })).rejects.toThrow('the process is gone')
    expect(await countsOf(at(), project)).toEqual([2 * SLICE, 2 * SLICE])
    const change = await newestOf(owner)
    expect(change).toMatchObject({ action: 'clear', count: SLICE, state: 'done' })
    expect((await owner.post(`/v1/changes/${change?.id}/undo`)).body.change).toMatchObject({
      restored: SLICE,
    })
    expect(await countsOf(at(), project)).toEqual([MANY, MANY])
  })

  test('an interrupted undo continues when the request is repeated', async () => {
    const { owner, project } = await placeOf()
    await generate(owner, project)
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    const id = cleared.string('change_id')
    const asker = askerOf((await subjectOf(owner, project)).customer)
    await expect(undoChange(dying(2), asker, id)).rejects.toThrow('the process is gone')
    expect(await countsOf(at(), project)).toEqual([2 * SLICE, 2 * SLICE])
    expect(await newestOf(owner)).toMatchObject({ state: 'undoing', restored: 2 * SLICE })
    expect((await owner.post(`/v1/changes/${id}/undo`)).status).toBe(429)
    at().clock.now += CHANGE_LEASE_MS + 1
    expect((await owner.post(`/v1/changes/${id}/undo`)).body.change).toMatchObject({
      state: 'undone',
      restored: MANY,
    })
    expect(await countsOf(at(), project)).toEqual([MANY, MANY])
  })

  test('extending all keys applies to all users or none, as does its change record', async () => {
    const { owner, project } = await placeOf()
    await owner.post(`/v1/projects/${project}/users/generate`, { amount: MANY, keys_expire: 2e12 })
    const order = { action: 'compensate', duration: 5, compensate_expired: false } as const
    await expect(changeAll(dying(0), await subjectOf(owner, project), order)).rejects.toThrow()
    expect(await newestOf(owner)).toMatchObject({ action: 'generate' })
    const done = await owner.post(`/v1/projects/${project}/users/compensate`, {
      duration: 5,
      compensate_expired: false,
    })
    expect(done.body).toMatchObject({ count: MANY })
    expect((await owner.post(`/v1/changes/${done.body.change_id}/undo`)).body.change).toMatchObject({
      restored: MANY,
      skipped: 0,
    })
  })

  test('the cleanup job deletes the undo data of an interrupted import', async () => {
    const { owner, project } = await placeOf()
    const entries = Array.from({ length: MANY }, (_, i) => ({ note: `${i}` }))
    const imported = importUsers(dying(1), await subjectOf(owner, project), orderOf(entries))
    await expect(imported).rejects.toThrow('the process is gone')
    expect((await owner.get('/v1/changes')).body.total).toBe(0)
    at().clock.now += CHANGE_LEASE_MS + 1
    const job = prune(at().deps, () => at().clock.now)
    while (await job.run(new AbortController().signal));
    const { read } = at().deps.db
    const left = await read.selectFrom('changes').select('seq').where('project_id', '=', project).execute()
    expect(left).toEqual([])
    expect(await countsOf(at(), project)).toEqual([0, 0])
  })

  test('keys that are imported again during the undo of their removal exist once', async () => {
    const { owner, project } = await placeOf()
    const keys = (await generate(owner, project)).body.user_keys as string[]
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    const users = keys.filter((_, i) => i % 100 === 0).map((key) => ({ key, note: 'again' }))
    const [undone, imported] = await Promise.all([
      owner.post(`/v1/changes/${cleared.body.change_id}/undo`),
      owner.post(`/v1/projects/${project}/users/import`, { users }),
    ])
    const { restored, skipped } = undone.body.change as { restored: number; skipped: number }
    expect(restored + skipped).toBe(MANY)
    expect(skipped).toBe(imported.body.imported)
    expect(await countsOf(at(), project)).toEqual([MANY, MANY])
  })

  test('sessions of a removed user stay ended after the user is restored', async () => {
    const { owner, project } = await placeOf()
    const key = await createUser(owner, project)
    const script_id = await createScript(owner, project)
    const exec = `exe_${key}`
    await insertRows(at(), 'instances', { ...instance, exec, script_id, project_id: project, user_key: key })
    const { change_id } = (await owner.post(`/v1/users/${key}/remove`)).body
    await owner.post(`/v1/changes/${change_id}/undo`)
    const row = await rowOf(at(), 'instances', { exec })
    expect(row.kick).toBe('key_removed')
  })

  test('a restored user loses a plan that was removed in the meantime', async () => {
    const { owner, project } = await placeOf()
    const plan_id = (await owner.post(`/v1/projects/${project}/plans/new`, { name: 'Pro' })).string('plan_id')
    const key = await createUser(owner, project)
    await owner.post(`/v1/users/${key}/edit`, { plan_id })
    const { change_id } = (await owner.post(`/v1/users/${key}/remove`)).body
    await owner.post(`/v1/plans/${plan_id}/remove`, {})
    expect((await owner.post(`/v1/changes/${change_id}/undo`)).status).toBe(200)
    expect((await owner.get(`/v1/users/${key}`)).body.user).toMatchObject({ plan_id: null })
  })

  test('callers who may change single users can undo the removal of one, but not of all', async () => {
    const { owner, project } = await placeOf()
    const key = await createUser(owner, project)
    const body = { name: 'staff', scopes: ['users:write'] }
    const staff = at().client((await owner.post('/v1/tokens/new', body)).string('secret'))
    const { change_id } = (await staff.post(`/v1/users/${key}/remove`)).body
    expect((await staff.post(`/v1/changes/${change_id}/undo`)).status).toBe(200)
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    const refused = await staff.post(`/v1/changes/${cleared.body.change_id}/undo`)
    expect([refused.status, refused.error.needs]).toEqual([403, 'users:bulk'])
  })

  test('callers who may change single users cannot undo the bulk removal of several', async () => {
    const { owner, project } = await placeOf()
    const keys = [await createUser(owner, project), await createUser(owner, project)]
    const body = { name: 'staff', scopes: ['users:write'] }
    const staff = at().client((await owner.post('/v1/tokens/new', body)).string('secret'))
    const removed = await owner.post(`/v1/projects/${project}/users/bulk`, { action: 'remove', keys })
    const refused = await staff.post(`/v1/changes/${removed.body.change_id}/undo`)
    expect([refused.status, refused.error.needs]).toEqual([403, 'users:bulk'])
    for (const key of keys) expect((await owner.get(`/v1/users/${key}`)).status).toBe(404)
  })
})
