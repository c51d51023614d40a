/** Executor rules: which runs they deny or would deny, and that only the owner can change them. */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { LIVE } from '../../../test/protocol/running.ts'
import { countRows } from '../../../test/store/rows.ts'
import { insertRows, rowsOf } from '../../../test/stored.ts'
import { prune } from '../../jobs/prune.ts'
import { countHit } from './hits.ts'

const DAY_MS = 86_400_000

describe.each(engines)('executor rules on $name', (engine) => {
  const { at } = serverOn(engine, { config: { clientRates: 0 } })
  const { scene } = liveScene(at)
  const path = () => `/v1/scripts/${scene().scriptId}/executor-rules`
  const set = (mode: string, ...rules: object[]) => scene().owner.post(`${path()}/edit`, { mode, rules })
  const read = async () => (await scene().owner.get(path())).body
  const start = async (executor: string, version = '2.1', key?: string | null) =>
    scene().client.verdict(scene().scriptId, {
      ...LIVE,
      key: key === undefined ? await scene().addUser() : key,
      host: { executor, version, platform: 'game' },
    })
  const deny = { action: 'deny', executor: 'Garden' }

  it('deny an executor at its next start, with a reason that names it', async () => {
    expect(await start('Garden')).toBe('granted')
    expect((await set('enforce', deny)).status).toBe(200)
    const key = await scene().addUser()
    const host = { executor: 'GARDEN', version: '2.1', platform: 'game' }
    const { reply } = await scene().client.run(scene().scriptId, { ...LIVE, key, host })
    expect(reply).toMatchObject({
      code: 13,
      reason: 'executor_not_allowed',
      message: "This script doesn't support your executor (GARDEN). Use another executor.",
    })
    expect(await start('Orchard')).toBe('granted')
    const { denials } = (await scene().owner.get(`/v1/projects/${scene().projectId}/denials/filter`)).body
    expect(denials).toMatchObject([{ reason: 'executor_not_allowed', value: 'GARDEN 2.1', user_key: key }])
  })

  it('do not reveal whether a blocked or unknown key is valid', async () => {
    await set('enforce', deny)
    expect(await start('Garden', '2.1', 'unknown key of nobody')).toBe('invalid_key')
    const key = await scene().addUser({ blacklisted: 1 })
    expect(await start('Garden', '2.1', key)).toBe('blacklisted')
  })

  it('are returned as they were set, and an empty list allows everyone', async () => {
    const rules = [{ action: 'allow', executor: 'Orchard', versions: ['3', '2.*'] }]
    await set('enforce', ...rules)
    expect(await read()).toMatchObject({ mode: 'enforce', rules })
    expect([await start('Meadow'), await start('Orchard', '2.5')]).toEqual([
      'executor_not_allowed',
      'granted',
    ])
    await set('enforce')
    expect(await read()).toMatchObject({ rules: [] })
    expect(await start('Meadow')).toBe('granted')
  })

  it('that are watched grant the run, and count the customers they would deny', async () => {
    await set('watch', deny)
    const key = await scene().addUser()
    for (const one of [key, key, undefined]) expect(await start('Garden', '2.1', one)).toBe('granted')
    await start('garden', '2.1', key)
    await start('Orchard', '2.1', key)
    expect((await read()).hits).toEqual({
      days: 30,
      runs: 4,
      customers: 2,
      executors: [
        { executor: 'Garden', runs: 3, customers: 2 },
        { executor: 'garden', runs: 1, customers: 1 },
      ],
    })
  })

  it('that are watched count guests by their device', async () => {
    await scene().edit('scripts', { free_for_all: 1 })
    await set('watch', deny)
    for (const _ of [1, 2]) await start('Garden', '', null)
    expect((await read()).hits).toMatchObject({ runs: 2, customers: 1 })
  })

  it('that change start counting again, for 30 days', async () => {
    await set('watch', deny)
    await start('Garden')
    await set('watch', deny)
    expect((await read()).hits).toMatchObject({ runs: 1 })
    at().clock.now += 30 * DAY_MS
    expect((await read()).hits).toEqual({ days: 30, runs: 0, customers: 0, executors: [] })
    at().clock.now += DAY_MS
    await prune(at().deps, () => at().clock.now).run(new AbortController().signal)
    for (const table of ['executor_hits', 'executor_hit_customers'] as const)
      expect(await rowsOf(at(), table, { script_id: scene().scriptId })).toEqual([])
    await start('Garden')
    await set('watch', { ...deny, versions: ['9'] })
    expect((await read()).hits).toMatchObject({ runs: 0 })
  })

  it('count a bounded number of made-up executors and customers', async () => {
    const { scriptId: script_id } = scene()
    const { db } = at().deps
    const hit = (i: number) => {
      const run = { script_id, executor: `made up ${i}`, customer: `key ${i}`, now: at().clock.now }
      return db.transaction((tx) => countHit(tx, run))
    }
    for (let i = 0; i < 55; i++) await hit(i)
    const { runs, executors } = (await read()).hits as { runs: number; executors: object[] }
    expect([runs, executors.length, executors[0]]).toEqual([
      55,
      51,
      { executor: 'other', runs: 5, customers: 5 },
    ])
    const have = await countRows(db.read, 'executor_hit_customers')
    const rows = Array.from({ length: 10_000 - 55 }, (_, i) => ({
      ...{ script_id, executor: 'Garden', customer: `customer ${i}`, day: 20_000 },
    }))
    for (const half of [rows.slice(0, 5000), rows.slice(5000)])
      await insertRows(at(), 'executor_hit_customers', half)
    await hit(60)
    await hit(1)
    expect(await countRows(db.read, 'executor_hit_customers')).toBe(have + rows.length)
  })

  it('are at most fifty, with at most ten versions each', async () => {
    const many = Array.from({ length: 51 }, (_, i) => ({ action: 'deny', executor: `executor ${i}` }))
    const versions = Array.from({ length: 11 }, String)
    for (const rules of [
      many,
      [{ ...deny, versions }],
      [{ action: 'other', executor: 'Garden' }],
      [{ ...deny, executor: '' }],
      [{ ...deny, executor: 'x'.repeat(65) }],
    ])
      expect((await set('enforce', ...rules)).status).toBe(400)
    expect((await set('enforce', ...many.slice(1))).status).toBe(200)
  })

  it('of another account are like those of a missing script', async () => {
    const { owner } = await createOwner(at())
    const statuses = await Promise.all(
      [scene().scriptId, 'scr_missing'].flatMap((id) => [
        owner.get(`/v1/scripts/${id}/executor-rules`),
        owner.post(`/v1/scripts/${id}/executor-rules/edit`, { mode: 'watch', rules: [] }),
      ]),
    )
    expect(new Set(statuses.map(({ status, error }) => `${status} ${error.type}`)).size).toBe(1)
  })
})
