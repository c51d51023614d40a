/** The denials that an author sees, tested with real clients over HTTP. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { createProject, createUser } from '../../../../test/nouns.ts'
import { component, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { countRows } from '../../../../test/store/rows.ts'
import { changeRows } from '../../../../test/stored.ts'
import { endOfPeriod } from '../../key-validity/quota-periods.ts'

type Shown = { reason: string; value: string | null; allowed_at: number | null; count: number }

const MINUTE = 60_000
const OTHER = { fp: { [STRONG]: component('second machine') } }
const CLIENT = {
  ip: '127.0.*.*',
  fingerprint: expect.stringMatching(/^[0-9a-f]{4}…[0-9a-f]{4}$/),
  executor: 'lua5.1',
  runtime: 'lua5.1',
}

describe.each(anyEngine)('denials on $name', (engine) => {
  const { at } = serverOn(engine)
  const ofUser = async ({ owner }: Scene, key: string) =>
    (await owner.get(`/v1/users/${key}/denials`)).body.denials as (Shown & Record<string, unknown>)[]
  const ofProject = async ({ owner, projectId }: Scene) =>
    (await owner.get(`/v1/projects/${projectId}/denials`)).body.denials as (Shown & Record<string, unknown>)[]
  /** Advances the clock by a minute, because only a few denials per minute are recorded. */
  const later = (ms = MINUTE) => {
    at().clock.now += ms
  }

  it("contain the author's message for a disabled script until it is removed", async () => {
    const { owner, client, scriptId, addUser } = await makeScene(at())
    const key = await addUser()
    const edit = (disabled_message: string) =>
      owner.post(`/v1/scripts/${scriptId}/edit`, { disabled_message })
    const read = async () => (await client.run(scriptId, { key })).reply
    await edit(' Back at 18:00, Ä. ')
    await owner.post(`/v1/scripts/${scriptId}/toggle`, { state: false })
    expect((await owner.get(`/v1/scripts/${scriptId}`)).body.script).toMatchObject({
      disabled_message: 'Back at 18:00, Ä.',
    })
    expect(await read()).toMatchObject({ reason: 'script_disabled', message: 'Back at 18:00, Ä.' })
    await edit('')
    expect(await read()).toMatchObject({ message: expect.stringContaining('currently disabled') })
    expect((await edit('x'.repeat(256))).error.failed).toMatchObject([{ field: 'disabled_message' }])
  })

  it('show the check, the masked value and the client, newest first', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser, edit } = scene
    const key = await addUser({ max_executions: 1 })
    expect(await ofUser(scene, key)).toEqual([])
    await client.run(scriptId, { key })
    const now = at().clock.now
    await client.run(scriptId, { key })
    await edit('users', { key_expires: START - 1 }, key)
    await client.run(scriptId, { key, ...OTHER })
    const kept = { script_id: scriptId, script_version: 1, allowed_at: null, client: CLIENT, left_out: 0 }
    expect(await ofUser(scene, key)).toEqual([
      {
        ...kept,
        ...{ reason: 'key_expired', code: 11, value: new Date(START - 1).toISOString() },
        ...{ count: 1, first_at: now, last_at: now },
      },
      { ...kept, reason: 'max_executions', code: 17, value: '1 of 1', count: 1, first_at: now, last_at: now },
    ])
  })

  it('show a limit of the plan like one of the key', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser, owner, projectId } = scene
    const body = { name: 'Pro', max_instances: 1 }
    const plan_id = (await owner.post(`/v1/projects/${projectId}/plans/new`, body)).string('plan_id')
    const key = await addUser({ plan_id })
    await client.run(scriptId, { key })
    await client.run(scriptId, { key })
    await owner.post(`/v1/plans/${plan_id}/edit`, { max_instances: null, max_executions: 1 })
    await client.run(scriptId, { key })
    expect(await ofUser(scene, key)).toMatchObject([
      { reason: 'max_executions', value: '1 of 1' },
      { reason: 'max_instances', value: 'at most 1' },
    ])
  })

  it('include when the same attempt may succeed', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser, edit } = scene
    const key = await addUser()
    await client.run(scriptId, { key })
    const now = at().clock.now
    await edit('users', { last_reset: now }, key)
    await client.run(scriptId, { key, ...OTHER })
    await edit('users', { blacklisted: 1, blacklist_reason: 'shared', blacklist_expires: now + 5 }, key)
    await client.run(scriptId, { key })
    expect(await ofUser(scene, key)).toMatchObject([
      { reason: 'blacklisted', value: 'shared', allowed_at: now + 5 },
      { reason: 'fingerprint_mismatch', value: CLIENT.fingerprint, allowed_at: now + 3_600_000 },
    ])
  })

  it('include when a quota renews, and when a key starts', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser, owner, projectId } = scene
    const body = { name: 'Pro', quota: { count: 1, period: 'day' } }
    const plan_id = (await owner.post(`/v1/projects/${projectId}/plans/new`, body)).string('plan_id')
    const key = await addUser({ plan_id })
    await client.run(scriptId, { key })
    await client.run(scriptId, { key })
    const { now } = at().clock
    const starts_at = now + 5 * MINUTE
    const unstarted = await addUser({ starts_at })
    await client.run(scriptId, { key: unstarted })
    expect(await ofUser(scene, key)).toMatchObject([
      { reason: 'quota_spent', allowed_at: endOfPeriod('day', now) },
    ])
    expect(await ofUser(scene, unstarted)).toMatchObject([
      { reason: 'key_not_started', allowed_at: starts_at },
    ])
  })

  it('name the executors that report no device, with the number of affected users', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser, owner, projectId } = scene
    const on = (executor: string) => ({ fp: {}, host: { executor, version: '', platform: 'game' } })
    const keys = [await addUser(), await addUser()]
    for (const key of keys) await client.run(scriptId, { key, ...on('Garden') })
    await client.run(scriptId, { key: keys[0] ?? null, ...on('Garden') })
    await client.run(scriptId, { key: keys[0] ?? null, ...on('Shed') })
    await client.run(scriptId, on('Orchard'))
    const neighbor = await makeScene(at())
    await neighbor.client.run(neighbor.scriptId, { key: await neighbor.addUser(), ...on('Shed') })
    const last_at = at().clock.now
    const { body } = await owner.get(`/v1/projects/${projectId}/denials`)
    expect(body.executors_without_device).toEqual([
      { executor: 'Garden', users: 2, denials: 3, last_at },
      { executor: 'Shed', users: 1, denials: 1, last_at },
    ])
  })

  it('are counted instead of listed again when they repeat', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser } = scene
    const key = await addUser({ key_expires: START - 1 })
    const first = at().clock.now
    for (let i = 0; i < 3; i++) {
      await client.run(scriptId, { key })
      later(1000)
    }
    expect(await ofUser(scene, key)).toMatchObject([{ count: 3, first_at: first, last_at: first + 2000 }])
  })

  it('for wrong keys are listed for the project and show only the start of the key', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser } = scene
    const stranger = await makeScene(at())
    const keys = ['short', null, await stranger.addUser(), 'ab\u0001\u00e9-a-long-and-wrong-key']
    for (const key of keys) await client.run(scriptId, { key })
    const shown = await ofProject(scene)
    expect(shown.map(({ value }) => value)).toEqual(['ab??…', `${keys[2]?.slice(0, 4)}…`, 'none', '…'])
    expect(shown.every(({ reason }) => reason === 'invalid_key')).toBe(true)
    expect(JSON.stringify(shown)).not.toContain(keys[2])
    expect(await ofProject(stranger)).toEqual([])
    expect(await ofUser(scene, await addUser())).toEqual([])
  })

  it('are limited to the newest fifty per user', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser } = scene
    const key = await addUser({ key_expires: START - 1 })
    for (let i = 0; i < 60; i++) {
      const host = { executor: `Executor ${i}`, version: '', platform: '' }
      await client.run(scriptId, { key, host })
      later(6000)
    }
    const shown = await ofUser(scene, key)
    expect(shown).toHaveLength(50)
    expect(shown[0]).toMatchObject({ client: { executor: 'Executor 59' } })
    expect(shown[49]).toMatchObject({ client: { executor: 'Executor 10' } })
    const { rows } = await at()
      .deps.db.read.selectFrom('denials')
      .select((e) => e.fn.countAll<number>().as('rows'))
      .where('user_key', '=', key)
      .executeTakeFirstOrThrow()
    expect(rows).toBe(50)
  })

  it('are counted with few writes during a flood', async () => {
    const scene = await makeScene(at())
    const { client, scriptId } = scene
    later()
    const before = await countRows(at().deps.db.read, 'denials')
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => client.run(scriptId, { key: `${i}-and-a-long-wrong-key` })),
    )
    expect(await countRows(at().deps.db.read, 'denials')).toBe(before + 12)
    later()
    await client.run(scriptId, { key: 'one-more-wrong-key' })
    expect((await ofProject(scene))[0]).toMatchObject({ value: 'one-…', left_out: 88 })
  })

  it('are deleted with the user and with the project', async () => {
    const { owner, ...scene } = await makeScene(at())
    const { client, scriptId, projectId, addUser } = scene
    const before = await countRows(at().deps.db.read, 'denials')
    const key = await addUser({ key_expires: START - 1 })
    await client.run(scriptId, { key })
    await client.run(scriptId, { key: 'wrong' })
    expect(await countRows(at().deps.db.read, 'denials')).toBe(before + 2)
    expect((await owner.post(`/v1/users/${key}/remove`)).status).toBe(200)
    expect(await countRows(at().deps.db.read, 'denials')).toBe(before + 1)
    expect((await owner.post(`/v1/projects/${projectId}/remove`)).status).toBe(200)
    expect(await countRows(at().deps.db.read, 'denials')).toBe(before)
  })

  it('for a banned device are listed only for the project and name no user of another project', async () => {
    const scene = await makeScene(at(), { free_for_all: 1 })
    const { client, scriptId, addUser, owner } = scene
    const key = await addUser({ blacklisted: 1, fingerprint_assigned: 1 })
    await changeRows(at(), 'users', { key }, { blacklisted: 0 })
    await client.run(scriptId, { key })
    await scene.edit('users', { blacklisted: 1 }, key)
    expect(await client.verdict(scriptId)).toBe('blacklisted')
    expect(await ofProject(scene)).toMatchObject([{ reason: 'blacklisted', value: null }])
    const other = await at().createCustomer()
    const theirs = await createUser(other, await createProject(other))
    expect((await owner.get(`/v1/users/${theirs}/denials`)).status).toBe(404)
  })
})

describe.each(anyEngine)('rate-limited attempts on $name', (engine) => {
  const { at } = serverOn(engine, { config: { clientRates: 1 } })

  it('are recorded with the time of the next allowed attempt', async () => {
    const scene = await makeScene(at())
    const { client, scriptId, addUser, owner } = scene
    const key = await addUser()
    for (let i = 0; i < 11; i++) await client.run(scriptId, { key })
    const { denials } = (await owner.get(`/v1/users/${key}/denials`)).body as { denials: Shown[] }
    expect(denials).toMatchObject([{ reason: 'rate_limited', allowed_at: at().clock.now + 6000 }])
  })
})
