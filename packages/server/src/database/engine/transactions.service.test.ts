/** Transaction guarantees on both database engines. */
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { engines, reopen, type TestDatabase } from '../../../test/databases.ts'
import { countRows, customer, plant, project, tier } from '../../../test/store/rows.ts'
import { refuse } from '../../api/refusals.ts'
import type { Queries } from './db.ts'
import { isUniqueViolation } from './dialect.ts'

describe.each(engines)('in transactions on $name', (engine) => {
  let db: TestDatabase

  beforeEach(async () => {
    db = await engine.open()
  })
  afterEach(() => db.remove())

  const addTier = (tx: Queries, id: number) =>
    tx
      .insertInto('tiers')
      .values({ ...tier, id })
      .execute()
  const tierIds = async () => {
    const rows = await db.read.selectFrom('tiers').select('id').orderBy('id').execute()
    return rows.map((row) => row.id)
  }

  test('a change is visible once its promise resolves, and returns its value', async () => {
    const value = await db.transaction(async (tx) => {
      await addTier(tx, 1)
      return 'done'
    })
    expect(value).toBe('done')
    expect(await tierIds()).toEqual([1])
  })

  test('only the change that throws is rolled back; concurrent changes are committed', async () => {
    const changes = [1, 2, 3, 4].map((id) =>
      db.transaction(async (tx) => {
        await addTier(tx, id)
        if (id === 2) throw new Error('not this one')
      }),
    )
    const outcomes = await Promise.allSettled(changes)
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(await tierIds()).toEqual([1, 3, 4])
  })

  test('a rejected change returns its error and is rolled back alone', async () => {
    const refusal = refuse('max_projects_reached')
    const changes = [1, 2, 3].map((id) =>
      db.transaction(async (tx) => {
        await addTier(tx, id)
        return id === 2 ? refusal : id
      }),
    )
    expect(await Promise.all(changes)).toEqual([1, refusal, 3])
    expect(await tierIds()).toEqual([1, 3])
  })

  test('a change with a failed statement is rolled back even when it ignores the error', async () => {
    const change = db.transaction(async (tx) => {
      await addTier(tx, 1)
      await addTier(tx, 1).catch(() => {})
    })
    expect(isUniqueViolation(await change.catch((error) => error))).toBe(true)
    expect(await tierIds()).toEqual([])
  })

  test('a change sees its own writes, and readers only see them after the commit', async () => {
    const [inside, outside] = await db.transaction(async (tx) => {
      await addTier(tx, 1)
      return [await countRows(tx, 'tiers'), await countRows(db.read, 'tiers')]
    })
    expect([inside, outside, await countRows(db.read, 'tiers')]).toEqual([1, 0, 1])
  })

  test('statements that a change starts concurrently all run', async () => {
    await db.transaction((tx) => Promise.all([1, 2, 3].map((id) => addTier(tx, id))))
    expect(await tierIds()).toEqual([1, 2, 3])
  })

  test('a write outside a transaction fails', async () => {
    await expect(addTier(db.read, 1)).rejects.toThrow(/read-?only/)
    await expect(sql`create table stray (id integer)`.execute(db.read)).rejects.toThrow(/read-?only/)
    await expect(db.read.transaction().execute(async () => {})).rejects.toThrow('use Database.transaction')
    expect(await tierIds()).toEqual([])
  })

  test('a handle cannot be used after its transaction', async () => {
    const kept = await db.transaction(async (tx) => ({ tx }))
    await expect(addTier(kept.tx, 1)).rejects.toThrow('this transaction is over')
    expect(await tierIds()).toEqual([])
  })

  test('closing waits for accepted changes', async () => {
    const changes = [1, 2, 3].map((id) => db.transaction((tx) => addTier(tx, id)))
    const { location } = db
    await db.close()
    await Promise.all(changes)
    db = await reopen(location)
    expect(await tierIds()).toEqual([1, 2, 3])
  })

  test('when two hundred concurrent changes compete for the last slot, exactly one succeeds', async () => {
    await db.transaction((tx) => plant(tx, 'customers'))
    await db.transaction((tx) =>
      tx
        .insertInto('projects')
        .values([named(1), named(2)])
        .execute(),
    )
    const takes = Array.from({ length: 200 }, (_, index) => db.transaction((tx) => takePlace(tx, index + 3)))
    const outcomes = await Promise.all(takes)
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(1)
    expect(await countRows(db.read, 'projects')).toBe(tier.max_projects)
  })
})

const named = (number: number) => ({ ...project, id: `prj_${number}` })

/** The pattern that enforces every limit: lock the account's row, count, insert. */
async function takePlace(tx: Queries, number: number) {
  await tx.updateTable('customers').set({ verified: 1 }).where('id', '=', customer.id).execute()
  if ((await countRows(tx, 'projects')) >= tier.max_projects) return refuse('max_projects_reached')
  await tx.insertInto('projects').values(named(number)).execute()
  return 'taken'
}
