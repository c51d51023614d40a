/**
 * The log of executions: complete, filtered by index, followed without gaps, and kept for the
 * tier's retention period.
 */
import { SERVER_GRACE_MS } from '@scriptward/client/live-messages'
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { createOwner, createScript, createTier } from '../../../../test/nouns.ts'
import { run as runScript } from '../../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { loggedExecution } from '../../../../test/store/rows.ts'
import { changeRows, insertRows, rowsOf } from '../../../../test/stored.ts'
import { recordErrors } from '../../errors/intake.ts'
import { ENDED_RETENTION_MS } from '../../sessions/store/instances.ts'
import { writeOutcomes } from '../outcomes.ts'
import { pruneLog } from './prune-log.ts'
import { settleRuns } from './settle-runs.ts'

type Entry = { readonly id: string } & Record<string, unknown>
const SIGNAL = new AbortController().signal
const DAY_MS = 86_400_000

describe.each(engines)('the log of executions on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const later = (ms: number) => {
    at().clock.now += ms
  }
  const settle = () => settleRuns(at().deps, () => at().clock.now).run(SIGNAL)
  const read = async (query = '', { owner, projectId } = scene) => {
    const { body, error } = await owner.get(`/v1/projects/${projectId}/executions/log?${query}`)
    return { entries: body?.executions as Entry[], next: body?.next as string | null, error }
  }
  const start = async () => runScript(scene.client, scene.scriptId, { key: await scene.addUser() })

  it('contains granted and denied runs, newest first, with what a denial rejected', async () => {
    const key = await scene.addUser()
    const granted = await runScript(scene.client, scene.scriptId, { key })
    later(1000)
    await scene.edit('users', { key_expires: START }, key)
    expect(await scene.client.verdict(scene.scriptId, { key })).toBe('key_expired')
    const { entries, next } = await read()
    const common = { script_id: scene.scriptId, script_version: 1, user_key: key }
    expect(next).toBeNull()
    expect(entries).toMatchObject([
      { ...common, at: START + 1000, outcome: 'denied', reason: 'key_expired', state: null, ended_at: null },
      { ...common, id: granted.exec, at: START, outcome: 'granted', reason: null, state: 'running' },
    ])
    expect(entries[0]?.value).toBe(new Date(START).toISOString())
  })

  it('includes the note and Discord account of the user of each run', async () => {
    const key = await scene.addUser({ note: 'Order 1042', chat_id: '300000000000000001' })
    await runScript(scene.client, scene.scriptId, { key })
    await start()
    const { entries } = await read()
    expect(entries).toMatchObject([
      { note: null, chat_id: null },
      { user_key: key, note: 'Order 1042', chat_id: '300000000000000001' },
    ])
  })

  it('shows how each run ended: announced, stopped, lost or vanished, also after its row is gone', async () => {
    const finished = await start()
    const lost = await start()
    const key = await scene.addUser()
    const stopped = await runScript(scene.client, scene.scriptId, { key })
    const vanished = await start()
    later(10_000)
    await finished.send(finished.endBody(), 'end')
    await lost.beat()
    await scene.edit('users', { blacklisted: 1 }, key)
    expect(await stopped.beat()).toMatchObject({ ok: false })
    later(50_000)
    const states = async () => {
      const { entries } = await read()
      return Object.fromEntries(
        entries.map(({ id, state, stop_reason, ended_at }) => [id, [state, stop_reason, ended_at]]),
      )
    }
    expect(await states()).toMatchObject({
      [finished.exec]: ['finished', null, START + 10_000],
      [lost.exec]: ['running', null, null],
      [vanished.exec]: ['vanished', null, START],
    })
    later(SERVER_GRACE_MS)
    const ended = {
      [finished.exec]: ['finished', null, START + 10_000],
      [lost.exec]: ['lost', null, START + 10_000],
      [stopped.exec]: ['stopped', 'blacklisted', START + 10_000],
      [vanished.exec]: ['vanished', null, START],
    }
    expect(await states()).toEqual(ended)
    later(ENDED_RETENTION_MS)
    await settle()
    expect(await rowsOf(at(), 'instances', { script_id: scene.scriptId })).toEqual([])
    expect(await states()).toEqual(ended)
  })

  it('does not treat a run without heartbeats as vanished', async () => {
    await scene.edit('scripts', { use_heartbeat: 0 })
    await start()
    later(SERVER_GRACE_MS)
    expect((await read()).entries).toMatchObject([{ state: 'running' }])
    later(2 * ENDED_RETENTION_MS)
    expect((await read()).entries).toMatchObject([{ state: 'unknown', ended_at: null }])
    await settle()
    expect((await read()).entries).toMatchObject([{ state: 'unknown', ended_at: null }])
  })

  it('marks a run as crashed once, for any number of uncaught errors, but not for caught ones', async () => {
    const { exec } = await start()
    const [run] = await rowsOf(at(), 'instances', { exec })
    if (!run) throw new Error('the run has no row')
    const report = (kind: 'crash' | 'thread' | 'caught') =>
      at().deps.db.transaction((tx) =>
        recordErrors(tx, at().deps, run, [{ kind, text: 'attempt to index nil', at: [3], n: 1 }]),
      )
    await report('caught')
    expect((await read('outcome=crashed')).entries).toEqual([])
    await report('thread')
    await report('crash')
    expect((await read('outcome=crashed')).entries).toMatchObject([{ id: exec, outcome: 'crashed' }])
    // The server's own worker may have written the count already.
    const crashed = async () => {
      await writeOutcomes(at().deps)
      const { body } = await scene.owner.get(`/v1/projects/${scene.projectId}/outcomes`)
      const { outcomes } = body as { outcomes: { crashed: number }[] }
      return outcomes.reduce((sum, each) => sum + each.crashed, 0)
    }
    await expect.poll(crashed).toBe(1)
  })

  it('can be filtered by each field and by time, and continues with a cursor', async () => {
    const { owner, project } = await createOwner(at())
    const script_id = await createScript(owner, project)
    const row = { ...loggedExecution, project_id: project, script_id, user_key: null }
    const log = (exec: string, members: object) =>
      insertRows(at(), 'execution_log', { ...row, exec, ...members })
    await log('a', { at: START, script_version: 1, executor: 'Garden' })
    await log('b', { at: START + 1, script_version: 2, outcome: 'crashed', user_key: 'KEY' })
    await log('c', {
      at: START + 1,
      script_version: 2,
      outcome: 'denied',
      reason: 'key_expired',
      executor: 'Garden',
    })
    await log('d', { at: START + 2, script_version: 2, script_id: 'scr_other' })
    await log('e', { at: START + 3, project_id: 'prj_of_another' })
    const mine = { ...scene, owner, projectId: project }
    const ids = async (query: string) => (await read(query, mine)).entries.map(({ id }) => id).join('')
    expect(await ids('')).toBe('dcba')
    expect(await ids(`script_id=${script_id}`)).toBe('cba')
    expect(await ids(`script_id=${script_id}&version=2`)).toBe('cb')
    expect(await ids(`script_id=${script_id}&version=2&outcome=crashed`)).toBe('b')
    expect(await ids('outcome=denied')).toBe('c')
    expect(await ids('reason=key_expired')).toBe('c')
    expect(await ids('executor=Garden')).toBe('ca')
    expect(await ids('user_key=KEY')).toBe('b')
    expect(await ids(`from=${START + 1}&to=${START + 1}`)).toBe('cb')
    expect(await ids('executor=&user_key=')).toBe('dcba')
    for (const query of ['', 'executor=lua5.1'].map((of) => `limit=1&${of}`)) {
      const first = await read(query, mine)
      const second = await read(`${query}&after=${first.next}`, mine)
      expect([...first.entries, ...second.entries].map(({ id }) => id).join('')).toBe(
        query.includes('lua') ? 'db' : 'dc',
      )
    }
    expect((await read('version=2', mine)).error).toMatchObject({ failed: [{ field: 'version' }] })
    expect((await read('after=x', mine)).error.type).toBe('invalid_request')
  })

  it('can be followed with a cursor that skips no late commit', async () => {
    const { owner, project } = await createOwner(at())
    const row = { ...loggedExecution, project_id: project, user_key: null }
    const log = (exec: string, members: object = {}) =>
      insertRows(at(), 'execution_log', { ...row, exec, at: at().clock.now, ...members })
    const follow = async (after?: string, limit = 100) => {
      const query = `limit=${limit}${after === undefined ? '' : `&after=${after}`}`
      const { body } = await owner.get(`/v1/projects/${project}/executions/recent?${query}`)
      const { executions, next } = body as { executions: Entry[]; next: string }
      return { ids: executions.map(({ id }) => id).join(''), next }
    }
    const begin = await follow()
    expect(begin.ids).toBe('')
    for (const id of ['a', 'b', 'c']) await log(id)
    await log('foreign', { project_id: 'prj_of_another' })
    expect((await follow(undefined, 2)).ids).toBe('bc')
    const young = await follow(begin.next)
    expect(young.ids).toBe('abc')
    expect((await follow(young.next)).ids).toBe('abc')
    later(5001)
    const first = await follow(begin.next, 2)
    expect(first.ids).toBe('ab')
    const rest = await follow(first.next, 2)
    expect(rest.ids).toBe('c')
    expect((await follow(rest.next)).ids).toBe('')
    later(-60_000)
    expect((await follow(rest.next)).next).toBe(rest.next)
  })

  it('counts the runs of one user per day, including denials that were not recorded', async () => {
    const { projectId: project_id, owner, addUser } = scene
    const key = await addUser()
    const log = (exec: string, members: object) =>
      insertRows(at(), 'execution_log', { ...loggedExecution, project_id, user_key: key, exec, ...members })
    const today = Math.floor(START / DAY_MS) * DAY_MS
    await log('a', { at: today })
    await log('b', { at: today, outcome: 'crashed', ending: 'vanished' })
    await log('v', { at: today, ending: 'vanished' })
    await log('c', { at: today, outcome: 'denied', reason: 'rate_limited', left_out: 5 })
    await log('d', { at: today, outcome: 'denied', reason: 'key_expired' })
    await log('e', { at: today - 29 * DAY_MS })
    await log('too old', { at: today - 29 * DAY_MS - 1 })
    await log('of another user', { at: today, user_key: await addUser() })
    const { step, outcomes } = (await owner.get(`/v1/users/${key}/outcomes`)).body
    const days = outcomes as object[]
    expect([step, days.length]).toEqual(['day', 30])
    expect(days[0]).toEqual({ at: today - 29 * DAY_MS, granted: 1, crashed: 0, vanished: 0, denied: {} })
    expect(days[28]).toEqual({ at: today - DAY_MS, granted: 0, crashed: 0, vanished: 0, denied: {} })
    const denied = { rate_limited: 6, key_expired: 1 }
    expect(days[29]).toEqual({ at: today, granted: 3, crashed: 1, vanished: 1, denied })
  })

  it('finds few matches among many runs, in parts', async () => {
    const { projectId } = scene
    const row = { ...loggedExecution, project_id: projectId, script_id: scene.scriptId, user_key: null }
    const common = Array.from({ length: 20_100 }, (_, i) => ({
      ...row,
      exec: `common-${i}`,
      at: START - 9000,
    }))
    await insertRows(at(), 'execution_log', { ...row, exec: 'first', at: START - 9001, executor: 'Rare' })
    for (let i = 0; i < common.length; i += 1000)
      await insertRows(at(), 'execution_log', common.slice(i, i + 1000))
    await insertRows(at(), 'execution_log', { ...row, exec: 'last', at: START - 8999, executor: 'Rare' })
    const { entries, next } = await read('executor=Rare')
    expect([entries.map(({ id }) => id), next]).toEqual([['last', 'first'], null])
    const cursor = Buffer.from(`log:${START - 9002}:0`).toString('base64url')
    const path = `/v1/projects/${projectId}/executions/recent?executor=Rare&after=${cursor}`
    const { executions } = (await scene.owner.get(path)).body as { executions: Entry[] }
    expect(executions.map(({ id }) => id)).toEqual(['first', 'last'])
  })

  it('keeps entries for the retention period of the service tier, and those of a deleted project for 30 days', async () => {
    const prune = () => pruneLog(at().deps, () => at().clock.now).run(SIGNAL)
    const { projectId, customerId } = scene
    const tier = await createTier(at(), { log_days: 7 })
    await changeRows(at(), 'customers', { id: customerId }, { tier })
    const rows = Array.from({ length: 1200 }, (_, i) => ({
      ...loggedExecution,
      project_id: projectId,
      exec: `old-${i}`,
      at: START - 7 * DAY_MS - 1,
    }))
    await insertRows(at(), 'execution_log', rows)
    await insertRows(at(), 'execution_log', {
      ...loggedExecution,
      project_id: projectId,
      at: START - 7 * DAY_MS,
    })
    await insertRows(at(), 'execution_log', {
      ...loggedExecution,
      project_id: 'prj_gone',
      at: START - 8 * DAY_MS,
    })
    await prune()
    expect((await read()).entries).toHaveLength(1)
    expect(await rowsOf(at(), 'execution_log', { project_id: 'prj_gone' })).toHaveLength(1)
    later(23 * DAY_MS)
    await prune()
    expect(await rowsOf(at(), 'execution_log', { project_id: 'prj_gone' })).toEqual([])
    await changeRows(at(), 'tiers', { id: tier }, { log_days: -1 })
    await insertRows(at(), 'execution_log', { ...loggedExecution, project_id: projectId, at: 1 })
    await prune()
    expect((await read()).entries).toHaveLength(1)
  })

  it('looks the same to another account as the log of a project that does not exist', async () => {
    const { owner } = await createOwner(at())
    const asked = [scene.projectId, 'prj_missing'].map((id) => owner.get(`/v1/projects/${id}/executions/log`))
    const [foreign, missing] = await Promise.all(asked)
    expect(foreign?.status).toBe(missing?.status)
    expect(foreign?.error.type).toBe(missing?.error.type)
  })
})
