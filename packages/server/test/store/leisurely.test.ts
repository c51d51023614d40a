/** Changes that nobody waits for: when they are made, and what they are to each other. */
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refuse } from '../../src/domain/refusals.ts'
import type { Hurry, Queries } from '../../src/store/db.ts'
import { openDatabase } from '../../src/store/open.ts'
import { engines, reopen, type TestDatabase } from '../databases.ts'
import { tier } from './rows.ts'

describe.each(engines)('leisurely changes on $name', (engine) => {
  let db: TestDatabase
  beforeEach(async () => {
    db = await engine.open()
  })
  afterEach(() => db.remove())

  const insert = (id: number) => (tx: Queries) =>
    tx
      .insertInto('tiers')
      .values({ ...tier, id })
      .execute()
  const addTier = (id: number, hurry?: Hurry) => db.transaction(insert(id), hurry)
  const tierIds = async () => {
    const rows = await db.read.selectFrom('tiers').select('id').orderBy('id').execute()
    return rows.map((row) => row.id)
  }

  test('hold up nobody in a hurry, and are made before the end', async () => {
    await addTier(1, 'leisurely')
    expect(await tierIds()).toEqual([1])
    const leisurely = addTier(2, 'leisurely')
    await addTier(3)
    expect(await tierIds()).toEqual([1, 3])
    await leisurely
    expect(await tierIds()).toEqual([1, 2, 3])
    const last = addTier(4, 'leisurely')
    await db.close()
    await last
    db = await reopen(db.location)
    expect(await tierIds()).toEqual([1, 2, 3, 4])
  })

  test('are all made, though a few share a commit', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1)
    await Promise.all(ids.map((id) => addTier(id, 'leisurely')))
    expect(await tierIds()).toEqual(ids)
  })

  test('are undone alone when they are refused or fail', async () => {
    await addTier(1)
    const refused = db.transaction(async (tx) => {
      await insert(2)(tx)
      return refuse('not_found')
    }, 'leisurely')
    const failing = db.transaction(async (tx) => {
      await insert(3)(tx)
      await insert(1)(tx)
    }, 'leisurely')
    const thrown = db.transaction(async (tx) => {
      await insert(4)(tx)
      throw new Error('of the change itself')
    }, 'leisurely')
    const others = [5, 6].map((id) => addTier(id, 'leisurely'))
    const outcomes = await Promise.allSettled([refused, failing, thrown, ...others])
    expect(outcomes).toMatchObject([
      { value: { reason: 'not_found' } },
      { reason: { message: expect.stringMatching(/unique/i) } },
      { reason: { message: 'of the change itself' } },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ])
    expect(await tierIds()).toEqual([1, 5, 6])
  })

  test('begin when nobody waits for an answer, and nobody in a hurry waits for that', async () => {
    const answered = Promise.withResolvers<void>()
    const other = await openDatabase({ ...db.location, lull: () => answered.promise })
    const leisurely = other.transaction(insert(1), 'leisurely')
    await other.transaction(insert(2))
    await setTimeout(400)
    expect(await tierIds()).toEqual([2])
    answered.resolve()
    await leisurely
    expect(await tierIds()).toEqual([1, 2])
    await other.close()
  })
})
