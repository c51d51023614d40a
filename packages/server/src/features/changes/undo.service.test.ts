/** Undoing removals and bulk changes restores the previous state. */
import { describe, expect, test } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { countsOf } from '../../../test/endpoints/users-of.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { bindDevice, createProject, createScript, createTier, createUser } from '../../../test/nouns.ts'
import { plantHanging, plantProject } from '../../../test/plant-rows.ts'
import { user } from '../../../test/store/rows.ts'
import { changeRows, insertRows } from '../../../test/stored.ts'
import { CHECKPOINT } from '../../../test/subjects.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { tables } from '../../database/schema/tables.ts'
import { prune } from '../../jobs/prune.ts'
import { pruneHealth } from '../health/prune-health.ts'
import { deleteExpiredUsers } from '../keys/delete-expired-users.ts'
import { SLICE } from './customer-lock.ts'
import { OF_PROJECT, OF_USER } from './store/trash-tree.ts'

type TableName = keyof typeof tables
const DAY = 86_400_000
const MANY = SLICE + 7

describe.each(engines)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { generateLimit: 2 * MANY } })

  const placeOf = async (account = {}) => {
    const owner = await at().createCustomer(account)
    return { owner, project: await createProject(owner) }
  }
  const rowsOf = async (table: TableName, project: string): Promise<Record<string, unknown>[]> => {
    const rows = (await at().deps.db.read.selectFrom(table).selectAll().execute()) as Record<
      string,
      unknown
    >[]
    const owner = table === 'projects' ? 'id' : 'project_id'
    const own = rows.filter((row) => !(owner in row) || row[owner] === project)
    const plain = (value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
    const all = own.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])),
    )
    return all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  /** Everything that removing a project affects. */
  const stateOf = async (project: string) => {
    const names: TableName[] = ['users', ...OF_USER, 'projects', ...OF_PROJECT.map(({ table }) => table)]
    const all: Record<string, unknown[]> = {}
    for (const table of names) all[table] = await rowsOf(table, project)
    return all
  }
  const generate = async (owner: Owner, project: string, amount: number): Promise<string[]> => {
    const made = await owner.post(`/v1/projects/${project}/users/generate`, { amount })
    return made.body.user_keys as string[]
  }
  const undo = (owner: Owner, id: unknown) => owner.post(`/v1/changes/${id}/undo`)

  test('a list of changes can be limited to those of one user', async () => {
    const { owner, project } = await placeOf()
    const [one = '', other = ''] = await generate(owner, project, 2)
    const path = `/v1/projects/${project}`
    await owner.post(`${path}/users/bulk`, { action: 'extend', duration: 1000, keys: [one, other] })
    await owner.post(`${path}/users/bulk`, { action: 'tag', tags: ['vip'], keys: [other] })
    const listed = async (key: string) => (await owner.get(`${path}/changes?user_key=${key}`)).body
    const ofOne = await listed(one)
    expect(ofOne).toMatchObject({ changes: [{ action: 'generate' }], total: 1 })
    expect(await listed(other)).toMatchObject({
      changes: [{ action: 'tag', count: 1 }, { action: 'generate' }],
      total: 2,
    })
  })

  test('undo restores a cleared project completely, with devices, denials and earned keys', async () => {
    const { owner, project } = await placeOf()
    await generate(owner, project, MANY)
    const key = await createUser(owner, project, { chat_id: '42', note: 'paid "twice"\\', key_expires: 1 })
    await bindDevice(at(), project, key)
    await plantHanging(at(), project, key)
    const before = await stateOf(project)
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    expect(cleared.body).toMatchObject({ count: MANY + 1 })
    expect(await countsOf(at(), project)).toEqual([0, 0])
    expect((await owner.get(`/v1/users/${key}`)).status).toBe(404)
    const undone = await undo(owner, cleared.body.change_id)
    expect(undone.body.change).toMatchObject({
      state: 'undone',
      restored: MANY + 1,
      skipped: 0,
      action: 'clear',
    })
    expect(await stateOf(project)).toEqual(before)
    expect(await countsOf(at(), project)).toEqual([MANY + 1, MANY + 1])
    const found = await owner.get(`/v1/projects/${project}/users/filter?search=twice`)
    expect(found.body.users).toMatchObject([{ key, chat_id: '42' }])
    const again = await undo(owner, cleared.body.change_id)
    expect([again.status, again.error.type]).toEqual([409, 'already_undone'])
  })

  test('undo skips and reports keys and Discord accounts that were taken in the meantime', async () => {
    const { owner, project } = await placeOf()
    const taken = await createUser(owner, project)
    const chat = await createUser(owner, project, { chat_id: '7' })
    const free = await createUser(owner, project)
    await bindDevice(at(), project, taken)
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    const imported = await owner.post(`/v1/projects/${project}/users/import`, {
      users: [{ key: taken, note: 'new' }],
    })
    expect(imported.body).toMatchObject({ imported: 1 })
    await createUser(owner, project, { chat_id: '7' })
    const undone = (await undo(owner, cleared.body.change_id)).body.change as Record<string, unknown>
    expect(undone).toMatchObject({ restored: 1, skipped: 2 })
    expect(undone.skipped_entries).toEqual([
      { what: 'users', name: taken, type: 'key_taken', reason: 'another user has this key' },
      {
        what: 'users',
        name: chat,
        type: 'chat_id_taken',
        reason: 'another user is linked to this chat account',
      },
    ])
    expect((await owner.get(`/v1/users/${free}`)).status).toBe(200)
    expect((await owner.get(`/v1/users/${taken}`)).body.user).toMatchObject({
      note: 'new',
      fingerprint_assigned: false,
    })
    expect(await rowsOf('user_fingerprints', project)).toEqual([])
  })

  test('users move to another project by export, clear and import; undoing the clear leaves their keys there and reports them', async () => {
    const { owner, project } = await placeOf()
    const other = await createProject(owner)
    const moved = await createUser(owner, project, { note: 'moved' })
    const left = await createUser(owner, project)
    const { exported } = (await owner.post(`/v1/projects/${project}/users/export`, { type: 'json' })).body
    const users = JSON.parse(String(exported)) as { key: string }[]
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    const given = { users: users.filter(({ key }) => key === moved) }
    const planned = await owner.post(`/v1/projects/${other}/users/import`, { ...given, dry_run: true })
    expect(planned.body).toMatchObject({ imported: 1, skipped: 0 })
    const imported = await owner.post(`/v1/projects/${other}/users/import`, given)
    expect(imported.body).toMatchObject({ imported: 1, skipped: 0 })
    const undone = (await undo(owner, cleared.body.change_id)).body.change as Record<string, unknown>
    expect(undone).toMatchObject({ restored: 1, skipped: 1 })
    expect(undone.skipped_entries).toEqual([
      { what: 'users', name: moved, type: 'key_taken', reason: 'another user has this key' },
    ])
    expect((await owner.get(`/v1/users/${moved}`)).body.user).toMatchObject({
      project_id: other,
      note: 'moved',
    })
    expect((await owner.get(`/v1/users/${left}`)).body.user).toMatchObject({ project_id: project })
    expect(await countsOf(at(), project)).toEqual([1, 1])
    expect(await countsOf(at(), other)).toEqual([1, 1])
  })

  test('the key of a removed user can be used again, even in the same project', async () => {
    const { owner, project } = await placeOf()
    const key = await createUser(owner, project)
    await owner.post(`/v1/users/${key}/remove`)
    const again = await owner.post(`/v1/projects/${project}/users/import`, { users: [{ key }] })
    expect(again.body).toMatchObject({ imported: 1 })
  })

  test('the removal of one user can be undone, and shows who made it', async () => {
    const { owner, project } = await placeOf()
    const key = await createUser(owner, project)
    const { change_id } = (await owner.post(`/v1/users/${key}/remove`)).body
    const listed = await owner.get(`/v1/projects/${project}/changes`)
    expect(listed.body).toMatchObject({
      total: 1,
      changes: [{ id: change_id, action: 'remove', count: 1, state: 'done', actor: { kind: 'api_key' } }],
    })
    expect((await undo(owner, change_id)).status).toBe(200)
    expect((await owner.get(`/v1/users/${key}`)).status).toBe(200)
    const foreign = await at().createCustomer()
    expect((await foreign.get(`/v1/changes/${change_id}`)).status).toBe(404)
    expect((await undo(foreign, change_id)).status).toBe(404)
  })

  test('undo restores values and devices where nobody changed them since', async () => {
    const { owner, project } = await placeOf()
    const [skipped, changed, gone] = await Promise.all(
      [1, 2, 3].map(() => createUser(owner, project, { key_expires: 2e12 })),
    )
    const bound = await createUser(owner, project)
    await bindDevice(at(), project, bound)
    const before = await rowsOf('users', project)
    const stored = async () => [
      await rowsOf('user_devices', project),
      await rowsOf('user_fingerprints', project),
    ]
    const devices = await stored()
    const extended = await owner.post(`/v1/projects/${project}/users/compensate`, {
      duration: DAY,
      compensate_expired: false,
    })
    expect(extended.body).toMatchObject({ count: 3 })
    const reset = await owner.post(`/v1/projects/${project}/users/resetall`, {})
    expect(reset.body).toMatchObject({ count: 1 })
    expect((await undo(owner, reset.body.change_id)).body.change).toMatchObject({ restored: 1, skipped: 0 })
    expect(await stored()).toEqual(devices)
    await owner.post(`/v1/users/${changed}/edit`, { key_expires: 3e12 })
    await owner.post(`/v1/users/${gone}/remove`)
    const { change } = (await undo(owner, extended.body.change_id)).body as {
      change: Record<string, unknown>
    }
    expect(change).toMatchObject({ restored: 1, skipped: 2 })
    expect(new Set(change.skipped_entries as object[])).toEqual(
      new Set([
        { what: 'users', name: changed, type: 'edited', reason: 'it has been edited since' },
        { what: 'users', name: gone, type: 'removed', reason: 'it has been removed since' },
      ]),
    )
    const after = await rowsOf('users', project)
    for (const key of [skipped, bound])
      expect(after.find((row) => row.key === key)).toEqual(before.find((row) => row.key === key))
  })

  test('undoing a pause gives back the time that the keys were paused', async () => {
    const { owner, project } = await placeOf()
    const now = at().clock.now
    const keys = await Promise.all(
      [1, 2, 3].map(() => createUser(owner, project, { key_expires: now + 5 * DAY })),
    )
    const [paused = '', resumed = '', again = ''] = keys
    const { body } = await owner.post(`/v1/projects/${project}/users/bulk`, { action: 'pause', keys })
    at().clock.now = now + DAY
    for (const key of [resumed, again]) await owner.post(`/v1/users/${key}/resume`)
    await owner.post(`/v1/users/${again}/pause`)
    at().clock.now = now + 6 * DAY
    const undone = await undo(owner, body.change_id)
    expect(undone.body.change).toMatchObject({ restored: 1, skipped: 2 })
    const read = async (key: string) => (await owner.get(`/v1/users/${key}`)).body.user
    expect(await read(paused)).toMatchObject({ paused: null, key_expires: now + 11 * DAY })
    expect(await read(resumed)).toMatchObject({ paused: null, key_expires: now + 6 * DAY })
    expect(await read(again)).toMatchObject({ paused: { left: 5 * DAY } })
    at().clock.now = now
  })

  test('undo gives no user a plan that has been removed since', async () => {
    const { owner, project } = await placeOf()
    const plan = async (name: string) => {
      const body = { name, clock: { basis: 'first_use', duration: DAY } }
      return (await owner.post(`/v1/projects/${project}/plans/new`, body)).string('plan_id')
    }
    const [former, next] = [await plan('Former'), await plan('Next')]
    const sell = async () =>
      (await owner.post(`/v1/projects/${project}/users/new`, { plan_id: former })).string('user_key')
    const [moved, removed] = [await sell(), await sell()]
    const action = { action: 'plan', plan_id: next, keys: [moved] }
    const move = await owner.post(`/v1/projects/${project}/users/bulk`, action)
    const removal = await owner.post(`/v1/users/${removed}/remove`)
    expect((await owner.post(`/v1/plans/${former}/remove`)).status).toBe(200)
    const reason = 'its former plan has been removed since'
    expect((await undo(owner, move.body.change_id)).body.change).toMatchObject({
      ...{ restored: 0, skipped: 1 },
      skipped_entries: [{ what: 'users', name: moved, type: 'plan_removed', reason }],
    })
    const read = async (key: string) => (await owner.get(`/v1/users/${key}`)).body.user
    expect(await read(moved)).toMatchObject({ plan_id: next, status: 'not_started' })
    expect((await undo(owner, removal.body.change_id)).body.change).toMatchObject({ restored: 1 })
    expect(await read(removed)).toMatchObject({ plan_id: null, clock: null, status: 'unused' })
  })

  test('a dry run of a generation is refused like the generation itself', async () => {
    const { owner, project } = await placeOf()
    const path = `/v1/projects/${project}/users/generate`
    const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`) as object
    for (const terms of [{ plan_id: 'pln_none' }, { clock: { basis: 'plan' } }, { metadata: deep }]) {
      const real = await owner.post(path, { amount: 2, ...terms })
      const dry = await owner.post(path, { amount: 2, ...terms, dry_run: true })
      expect([real.status, real.error.failed]).toEqual([400, [expect.anything()]])
      expect([dry.status, dry.error?.failed]).toEqual([real.status, real.error.failed])
    }
  })

  test('undoing an import or a generation keeps users who were used or changed since', async () => {
    const { owner, project } = await placeOf()
    const made = await owner.post(`/v1/projects/${project}/users/generate`, { amount: MANY })
    const keys = made.body.user_keys as string[]
    await owner.post(`/v1/users/${keys[3]}/edit`, { note: 'sold' })
    const { change } = (await undo(owner, made.body.change_id)).body as { change: Record<string, unknown> }
    expect(change).toMatchObject({ action: 'generate', count: MANY, restored: MANY - 1, skipped: 1 })
    expect(await countsOf(at(), project)).toEqual([1, 1])
    const imported = await owner.post(`/v1/projects/${project}/users/import`, {
      users: [{ fingerprint: 'abc' }, {}],
    })
    expect((await undo(owner, imported.body.change_id)).body.change).toMatchObject({
      restored: 2,
      skipped: 0,
    })
    expect(await countsOf(at(), project)).toEqual([1, 1])
  })

  test('one call changes the users that match a filter or a list of keys, and reports the result of each', async () => {
    const { owner, project } = await placeOf()
    const path = `/v1/projects/${project}/users/bulk`
    const a = await createUser(owner, project, { note: 'sale', key_expires: 2e12 })
    const b = await createUser(owner, project, { note: 'sale' })
    await createUser(owner, project, { note: 'other', key_expires: 2e12 })
    const order = { filter: { note: 'sale' }, action: 'extend', duration: DAY }
    const dry = await owner.post(path, { ...order, dry_run: true })
    expect(dry.body).toEqual({
      success: true,
      count: 1,
      samples: [
        {
          user_key: a,
          chat_id: null,
          note: 'sale',
          changes: { key_expires: { before: 2e12, after: 2e12 + DAY } },
        },
      ],
    })
    expect((await owner.get(`/v1/projects/${project}/changes`)).body.total).toBe(0)
    const done = await owner.post(path, order)
    expect(done.body).toMatchObject({ count: 1 })
    expect((await owner.get(`/v1/users/${a}`)).body.user).toMatchObject({ key_expires: 2e12 + DAY })
    const keys = [a, 'nobody', b]
    const banned = await owner.post(path, { keys, action: 'blacklist', reason: 'refund', expires: 2e12 })
    expect(banned.body).toMatchObject({
      count: 2,
      entries: [
        { user_key: a, verdict: 'changed' },
        { user_key: 'nobody', verdict: 'not_found' },
        { user_key: b, verdict: 'changed' },
      ],
    })
    const twice = await owner.post(path, { keys, action: 'blacklist' })
    expect(twice.body).toMatchObject({ count: 0, change_id: null })
    expect((await owner.get(`/v1/users/${b}`)).body.user).toMatchObject({ blacklist_reason: 'refund' })
    await owner.post(path, { keys, action: 'unblacklist' })
    expect((await undo(owner, banned.body.change_id)).body.change).toMatchObject({ restored: 0, skipped: 2 })
    const removed = await owner.post(path, { keys, action: 'remove' })
    expect(removed.body).toMatchObject({ count: 2 })
    expect((await undo(owner, removed.body.change_id)).body.change).toMatchObject({ restored: 2 })
    const wrong = await owner.post(path, { keys, action: 'remove', duration: 5 })
    expect([wrong.status, wrong.error.failed]).toEqual([
      400,
      [{ field: 'duration', errors: ['does not apply to remove. Leave it out'] }],
    ])
    expect((await owner.post(path, { action: 'remove' })).status).toBe(400)
    expect((await owner.post(path, { action: 'remove', filter: {} })).error.type).toBe(
      'must_filter_something',
    )
  })

  test('dry runs return the count and samples, and change nothing', async () => {
    const { owner, project } = await placeOf()
    const key = await createUser(owner, project)
    const before = await stateOf(project)
    const entries = async () => (await owner.get('/v1/audit')).body.entries as unknown[]
    const written = await entries()
    const dry_run = true
    const post = async (last: string, body = {}) =>
      (await owner.post(`/v1/projects/${project}/users/${last}`, { ...body, dry_run })).body
    expect(await post('purge')).toMatchObject({ count: 1, samples: [{ user_key: key, changes: {} }] })
    expect(await post('clear')).toMatchObject({ count: 1, samples: [{ user_key: key }] })
    expect(await post('resetall')).toMatchObject({ count: 0, samples: [] })
    expect(await post('compensate', { duration: 1, compensate_expired: true })).toMatchObject({ count: 0 })
    expect(await post('generate', { amount: 5 })).toMatchObject({ count: 5, user_keys: [], fits: true })
    expect(await post('import', { users: [{ note: 'a' }, { key }] })).toMatchObject({
      imported: 1,
      skipped: 1,
      samples: [{ index: 0, user_key: null, note: 'a' }],
    })
    expect(await stateOf(project)).toEqual(before)
    expect((await owner.get('/v1/changes')).body.total).toBe(0)
    expect((await entries()).length).toBe(written.length)
  })

  test('an undo that would exceed the user limit of the service tier fails, and can be repeated', async () => {
    const tier = await createTier(at(), { max_users: 2 })
    const { owner, project } = await placeOf({ tier })
    await generate(owner, project, 2)
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    const [extra] = await generate(owner, project, 1)
    const refused = await undo(owner, cleared.body.change_id)
    expect([refused.status, refused.error.type]).toEqual([403, 'max_users_reached'])
    expect(await countsOf(at(), project)).toEqual([1, 1])
    await owner.post(`/v1/users/${extra}/remove`)
    expect((await undo(owner, cleared.body.change_id)).body.change).toMatchObject({ restored: 2 })
  })

  test('projects and scripts are restored only if the service tier allows them', async () => {
    const tier = await createTier(at(), { max_projects: 1, max_scripts: 1 })
    const { owner, project } = await placeOf({ tier })
    const script = await createScript(owner, project)
    const withoutScript = await owner.post(`/v1/scripts/${script}/remove`)
    const second = await createScript(owner, project)
    const full = await undo(owner, withoutScript.body.change_id)
    expect([full.status, full.error.type]).toEqual([403, 'max_scripts_reached'])
    await owner.post(`/v1/scripts/${second}/remove`)
    expect((await undo(owner, withoutScript.body.change_id)).body.change).toMatchObject({ state: 'undone' })
    const removed = await owner.post(`/v1/projects/${project}/remove`)
    await createProject(owner)
    const refused = await undo(owner, removed.body.change_id)
    expect([refused.status, refused.error.type]).toEqual([403, 'max_projects_reached'])
  })

  test('a removed project is restored only if the service tier allows its ad systems and checkpoints', async () => {
    for (const limit of ['max_systems', 'max_checkpoints']) {
      const tier = await createTier(at(), { [limit]: 1 })
      const { owner, project } = await placeOf({ tier })
      const addSystem = async (project_id: string) => {
        const made = await owner.post('/v1/adsystems/new', { project_id, name: 'Free keys' })
        const id = made.string('system_id')
        await owner.post(`/adsystems/${id}/checkpoints/prepare`)
        expect((await owner.post(`/v1/adsystems/${id}/checkpoints/new`, CHECKPOINT)).status).toBe(200)
        return id
      }
      await addSystem(project)
      const removed = await owner.post(`/v1/projects/${project}/remove`)
      const system = await addSystem(await createProject(owner))
      const refused = await undo(owner, removed.body.change_id)
      expect([refused.status, refused.error]).toMatchObject([403, { type: `${limit}_reached`, limit: 1 }])
      await owner.post(`/v1/adsystems/${system}/remove`)
      expect((await undo(owner, removed.body.change_id)).body.change).toMatchObject({ state: 'undone' })
    }
  })

  test('users who earned their key through ads are restored only if the service tier allows them', async () => {
    const tier = await createTier(at(), { max_ad_users: 1 })
    const { owner, project } = await placeOf({ tier })
    const made = await owner.post('/v1/adsystems/new', { project_id: project, name: 'Free keys' })
    const earn = async (key: string) => {
      const ad_system_id = made.string('system_id')
      await insertRows(at(), 'users', {
        ...user,
        chat_id: null,
        key,
        customer_id: owner.id,
        project_id: project,
        ad_system_id,
      })
      await changeRows(at(), 'projects', { id: project }, { total_users: 1, ad_users: 1 })
    }
    await earn(`first-${project}`)
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    await earn(`second-${project}`)
    const refused = await undo(owner, cleared.body.change_id)
    expect([refused.status, refused.error]).toMatchObject([403, { type: 'max_users_reached', limit: 1 }])
    await owner.post(`/v1/users/second-${project}/remove`)
    expect((await undo(owner, cleared.body.change_id)).body.change).toMatchObject({ restored: 1 })
  })

  test('a removed project is restored with all its content', async () => {
    const { owner, project } = await placeOf()
    const key = await createUser(owner, project)
    const script = await createScript(owner, project)
    await bindDevice(at(), project, key)
    await plantHanging(at(), project, key)
    await plantProject(at(), project, script)
    await generate(owner, project, MANY)
    await owner.post(`/v1/users/${key}/remove`)
    const before = await stateOf(project)
    const removed = await owner.post(`/v1/projects/${project}/remove`)
    expect((await owner.get(`/v1/projects/${project}`)).status).toBe(404)
    await pruneHealth(at().deps).run(new AbortController().signal)
    const listed = await owner.get('/v1/changes?limit=1')
    expect(listed.body.changes).toMatchObject([
      { id: removed.body.change_id, action: 'remove-project', count: MANY },
    ])
    expect((await undo(owner, removed.body.change_id)).body.change).toMatchObject({
      state: 'undone',
      restored: MANY + 1,
    })
    expect(await stateOf(project)).toEqual(before)
    expect((await owner.get(`/v1/scripts/${script}/versions/1/source`)).status).toBe(200)
  })

  test('a removed script is restored with its versions and statistics, but only after its removed project', async () => {
    const { owner, project } = await placeOf()
    const script = await createScript(owner, project)
    await plantProject(at(), project, script)
    const health = async () => (await owner.get(`/v1/scripts/${script}/health`)).body
    const counted = await health()
    expect(counted.versions).toMatchObject([{ runs: 7, customers: 3 }])
    const before = await stateOf(project)
    const removed = await owner.post(`/v1/scripts/${script}/remove`)
    expect((await owner.get(`/v1/scripts/${script}`)).status).toBe(404)
    await pruneHealth(at().deps).run(new AbortController().signal)
    const gone = await owner.post(`/v1/projects/${project}/remove`)
    const early = await undo(owner, removed.body.change_id)
    expect([early.status, early.error.type]).toEqual([409, 'nothing_to_restore_to'])
    await undo(owner, gone.body.change_id)
    expect((await undo(owner, removed.body.change_id)).body.change).toMatchObject({
      state: 'undone',
      restored: 1,
    })
    expect(await stateOf(project)).toEqual(before)
    expect(await health()).toEqual(counted)
  })

  test('deleted expired users can be restored after the project turns their deletion off', async () => {
    const { owner, project } = await placeOf()
    await owner.post(`/v1/projects/${project}/edit`, { delete_expired_users: true })
    const key = await createUser(owner, project, { key_expires: at().clock.now + 1000 })
    const later = at().clock.now + DAY
    await deleteExpiredUsers(at().deps, () => later).run(new AbortController().signal)
    expect((await owner.get(`/v1/users/${key}`)).status).toBe(404)
    const [change] = (await owner.get(`/v1/projects/${project}/changes`)).body.changes as Record<
      string,
      unknown
    >[]
    expect(change).toMatchObject({ action: 'delete-expired', count: 1, actor: { kind: 'job' } })
    expect((await undo(owner, change?.id)).error.type).toBe('expired_users_are_deleted')
    await owner.post(`/v1/projects/${project}/edit`, { delete_expired_users: false })
    expect((await undo(owner, change?.id)).status).toBe(200)
    expect((await owner.get(`/v1/users/${key}`)).status).toBe(200)
  })

  test('after the configured number of days a change cannot be undone, and its trash is emptied', async () => {
    const { owner, project } = await placeOf()
    const key = await createUser(owner, project)
    const { change_id } = (await owner.post(`/v1/users/${key}/remove`)).body
    at().clock.now += 7 * DAY
    const late = await undo(owner, change_id)
    expect([late.status, late.error.type]).toEqual([409, 'undo_is_over'])
    at().clock.now += 1
    const job = prune(at().deps, () => at().clock.now)
    while (await job.run(new AbortController().signal));
    expect((await owner.get(`/v1/changes/${change_id}`)).status).toBe(404)
    expect(await trashOf(at().deps.db.read, key)).toBe(0)
  })

  test('only one of two concurrent undos succeeds, and the other gets an error', async () => {
    const { owner, project } = await placeOf()
    await generate(owner, project, 2 * MANY)
    const cleared = await owner.post(`/v1/projects/${project}/users/clear`, {})
    const answers = await Promise.all([1, 2].map(() => undo(owner, cleared.body.change_id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await countsOf(at(), project)).toEqual([2 * MANY, 2 * MANY])
  })
})

async function trashOf(db: Queries, key: string): Promise<number> {
  const rows = await db.selectFrom('trash').select('seq').where('user_key', '=', key).execute()
  return rows.length
}
