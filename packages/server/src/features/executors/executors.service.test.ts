/**
 * Executors' functions: requested from runs that can answer, accepted if several networks agree, and limited
 * in number.
 */
import { PROBES_LOADER_BUILD } from '@scriptward/client/live-messages'
import type { Hello } from '@scriptward/client/messages'
import { PROBED_FUNCTIONS, writeProbe } from '@scriptward/client/probe'
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { LIVE, type Running, run } from '../../../test/protocol/running.ts'
import { countRows } from '../../../test/store/rows.ts'
import { insertRows, rowsOf } from '../../../test/stored.ts'
import { prune } from '../../jobs/prune.ts'
import { recordAnswer } from './answers.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const digits = (...names: string[]) => writeProbe(PROBED_FUNCTIONS.map((name) => names.includes(name)))
const GOOD = digits('request', 'writefile')
const POOR = digits('request')

describe.each(engines)('what executors can do on $name', (engine) => {
  const { at } = serverOn(engine, { config: { trustProxy: ['127.0.0.1'], clientRates: 0 } })
  const { scene } = liveScene(at)

  const hostOf = (executor: string, version = '2.1'): Partial<Hello> => ({
    ...LIVE,
    lb: PROBES_LOADER_BUILD,
    host: { executor, version, platform: 'game' },
  })
  const begin = async (executor: string, network = 1, version?: string) => {
    const key = await scene().addUser()
    const headers = { 'x-forwarded-for': `203.0.${network}.7` }
    return run(scene().client, scene().scriptId, { ...hostOf(executor, version), key }, headers)
  }
  const beat = async (running: Running, has: string) =>
    running.accept((await running.send(running.beatBody(1, { more: { p: { v: 1, has } } }))).text).ok
  const later = (ms: number) => {
    at().clock.now += ms
  }
  /** Sends each answer from a different network. */
  const answer = async (executor: string, answers: readonly string[], version?: string) => {
    for (const [i, has] of answers.entries()) {
      const running = await begin(executor, i, version)
      expect(running.grant.probe).toBe(1)
      expect(await beat(running, has)).toBe(true)
      later(10 * MINUTE_MS)
    }
  }
  const list = async (executor: string, query = '') =>
    (await scene().owner.get(`/v1/executors?executor=${executor}${query}`)).body
  const versions = async (executor: string) => (await list(executor)).executors as { version: string }[]
  const asked = async (executor: string, network = 1) => (await begin(executor, network)).grant.probe

  it('is what most networks report, newest version first', async () => {
    await answer('Garden', [GOOD, POOR, GOOD], '2.1')
    await answer('Garden', [POOR, POOR, GOOD], '2.2')
    const { executors, more } = await list('Garden')
    expect(more).toBe(false)
    expect(executors).toMatchObject([
      { executor: 'Garden', version: '2.2', functions: ['request'], answers: 3 },
      { executor: 'Garden', version: '2.1', functions: ['request', 'writefile'], answers: 3 },
    ])
    const [{ functions, missing }] = executors as [{ functions: string[]; missing: string[] }]
    expect([...functions, ...missing].sort()).toEqual([...PROBED_FUNCTIONS].sort())
  })

  it('is listed in pages', async () => {
    for (const version of ['1', '2', '3']) await answer('Paged', [GOOD, GOOD, GOOD], version)
    const first = await list('Paged', '&limit=2')
    const second = await list('Paged', '&limit=2&from=2')
    const of = (body: typeof first) => (body.executors as { version: string }[]).map(({ version }) => version)
    expect([of(first), first.more, of(second), second.more]).toEqual([['3', '2'], true, ['1'], false])
  })

  it('is not decided by a single network, no matter how often it reports', async () => {
    for (let i = 0; i < 5; i++) {
      await beat(await begin('Lonely'), POOR)
      later(10 * MINUTE_MS)
    }
    expect(await versions('Lonely')).toEqual([])
    expect(await rowsOf(at(), 'executor_answers', { name: 'Lonely' })).toHaveLength(1)
  })

  it('follows the newest nine networks', async () => {
    await answer('Changing', [GOOD, GOOD, GOOD])
    for (let i = 0; i < 9; i++) {
      later(DAY_MS)
      await beat(await begin('Changing', 10 + i), POOR)
    }
    expect(await list('Changing')).toMatchObject({ executors: [{ functions: ['request'], answers: 9 }] })
  })

  it('is asked of one run a minute until three networks have answered, and then once a day', async () => {
    expect([await asked('Daily'), await asked('Daily'), await asked('daily')]).toEqual([1, undefined, 1])
    later(MINUTE_MS)
    await answer('Daily', [GOOD, GOOD, GOOD])
    expect(await asked('Daily', 4)).toBe(undefined)
    later(DAY_MS)
    expect(await asked('Daily', 4)).toBe(1)
  })

  it('is requested only from loaders that can answer', async () => {
    const key = await scene().addUser()
    const old = { ...hostOf('Old'), lb: PROBES_LOADER_BUILD - 1, key }
    expect((await run(scene().client, scene().scriptId, old)).grant).not.toHaveProperty('probe')
  })

  it('is stored from the end of a run', async () => {
    const running = await begin('Ended')
    const body = running.endBody(1, running.state, { p: { v: 1, has: GOOD } })
    expect((await running.send(body, 'end')).status).toBe(200)
    expect(await rowsOf(at(), 'executor_answers', { name: 'Ended' })).toMatchObject([{ functions: GOOD }])
  })

  it('is stored once per run, and only from runs that were asked', async () => {
    const running = await begin('Once')
    const other = await begin('Once', 2)
    expect([await beat(other, GOOD), await beat(running, POOR), await beat(running, GOOD)]).toEqual([
      true,
      true,
      true,
    ])
    expect(await rowsOf(at(), 'executor_answers', { name: 'Once' })).toMatchObject([{ functions: POOR }])
  })

  it('is stored from guests, but not from a run that must stop', async () => {
    await scene().edit('scripts', { free_for_all: 1 })
    const guest = await run(scene().client, scene().scriptId, hostOf('Guest'))
    const banned = await begin('Banned')
    await beat(guest, GOOD)
    expect(await rowsOf(at(), 'executor_answers', { name: 'Guest' })).toHaveLength(1)
    await scene().edit('scripts', { enabled: 0 })
    expect(await beat(banned, GOOD)).toBe(false)
    expect(await rowsOf(at(), 'executor_answers', { name: 'Banned' })).toEqual([])
  })

  it('with invalid digits is rejected like any invalid heartbeat', async () => {
    const running = await begin('Invalid')
    for (const p of [
      { v: 1, has: `${GOOD}0` },
      { v: 1, has: 'f'.repeat(5000) },
      { v: 2, has: GOOD },
      { v: 1, has: GOOD, executor: 'Garden' },
      [GOOD],
    ])
      expect((await running.send(running.beatBody(1, { more: { p } }))).status).toBe(400)
    expect(await rowsOf(at(), 'executors', { name: 'Invalid' })).toEqual([])
  })

  const forge = (name: string, version: string, network: number) =>
    recordAnswer(
      at().deps,
      { name, version, address: `4${network.toString(16).padStart(8, '0')}`, list: 1, functions: GOOD },
      () => Promise.resolve(true),
    )

  it('is kept for known versions when a client invents many', async () => {
    await answer('Forged', [GOOD, GOOD, GOOD])
    for (let i = 0; i < 40; i++) await forge('Forged', `made up ${i}`, i)
    expect(await versions('Forged')).toMatchObject([{ version: '2.1' }])
    expect(await rowsOf(at(), 'executors', { name: 'Forged' })).toHaveLength(20)
  })

  it('is kept for known executors when a client invents many', async () => {
    await answer('Known', [GOOD, GOOD, GOOD])
    const { db } = at().deps
    const have = await countRows(db.read, 'executors')
    const made = Array.from({ length: 1000 - have }, (_, i) => ({
      ...{ name: `made up ${i}`, version: '', answers: 1 },
      ...{ first_at: at().clock.now, last_at: at().clock.now },
    }))
    await insertRows(at(), 'executors', made)
    for (let i = 0; i < 5; i++) await forge(`more ${i}`, '', i)
    expect(await countRows(db.read, 'executors')).toBe(1000)
    expect(await versions('Known')).toMatchObject([{ version: '2.1' }])
  })

  it('is removed when nobody has reported the version for 90 days', async () => {
    await answer('Gone', [GOOD, GOOD, GOOD])
    later(91 * DAY_MS)
    await prune(at().deps, () => at().clock.now).run(new AbortController().signal)
    expect(await rowsOf(at(), 'executors', { name: 'Gone' })).toEqual([])
    expect(await rowsOf(at(), 'executor_answers', { name: 'Gone' })).toEqual([])
  })
})
