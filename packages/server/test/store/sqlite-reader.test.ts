/** Reads on SQLite: they share one state of the file while nothing is committed, and never show an older one. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Unchanged } from '../../src/store/db.ts'
import { findTier, insertTier } from '../../src/store/tiers.ts'
import { sqlite, type TestDatabase } from '../databases.ts'
import { tier } from './rows.ts'

describe('the reader of SQLite', () => {
  let db: TestDatabase
  let reads: number
  beforeEach(async () => {
    db = await sqlite.open()
    reads = 0
  })
  afterEach(() => db.remove())

  const addTier = (id: number) => db.transaction((tx) => insertTier(tx, { ...tier, id }))
  const countTiers = async () => (await db.read.selectFrom('tiers').select('id').execute()).length
  const keptCount = async () => {
    const unchanged = db.unchanged as Unchanged
    const found = await unchanged.find('tiers', async () => {
      reads += 1
      return { count: await countTiers() }
    })
    return found?.count
  }
  const elsewhere = (sql: string) => {
    const other = new DatabaseSync(`${db.location.dataDir}/scriptward.db`)
    other.exec(sql)
    other.close()
  }

  test('what was committed is seen at once, also by who has read just before', async () => {
    await db.transaction(async (tx) => {
      expect(await countTiers()).toBe(0)
      await insertTier(tx, { ...tier, id: 1 })
    })
    expect(await countTiers()).toBe(1)
  })

  test('what was committed in bulk is seen at once', async () => {
    const reading = setInterval(() => void countTiers(), 0)
    await db.bulk((tx) => insertTier(tx, { ...tier, id: 1 }))
    clearInterval(reading)
    expect(await countTiers()).toBe(1)
  })

  test('what was found is kept until something is committed', async () => {
    expect([await keptCount(), await keptCount(), reads]).toEqual([0, 0, 1])
    await addTier(1)
    expect([await keptCount(), await keptCount(), reads]).toEqual([1, 1, 2])
  })

  test('what was found is not kept when another process commits', async () => {
    await addTier(1)
    expect(await keptCount()).toBe(1)
    elsewhere('delete from tiers')
    await setTimeout(20)
    expect(await keptCount()).toBe(0)
  })

  test('the log of changes begins anew although somebody always reads', async () => {
    await addTier(1)
    const seen: unknown[] = []
    for (let round = 0; round < 500; round += 1) {
      await db.transaction((tx) =>
        tx
          .updateTable('tiers')
          .set({ name: 'n'.repeat(6000) + round })
          .execute(),
      )
      seen.push((await findTier(db.readPoint, 1))?.name.slice(6000))
    }
    expect(seen).toEqual(seen.map((_, round) => String(round)))
    // A change is three pages of 4 KiB, and the log goes into the file after 32 of them.
    expect(statSync(`${db.location.dataDir}/scriptward.db-wal`).size).toBeLessThan(2_000_000)
  })

  test('what is missing is looked for every time', async () => {
    const unchanged = db.unchanged as Unchanged
    const look = () =>
      unchanged.find('nothing', async () => {
        reads += 1
        return undefined
      })
    expect([await look(), await look(), reads]).toEqual([undefined, undefined, 2])
  })

  test('what failed is not kept', async () => {
    const unchanged = db.unchanged as Unchanged
    const failing = unchanged.find('tiers', () => Promise.reject(new Error('broken')))
    await expect(failing).rejects.toThrow('broken')
    expect(await keptCount()).toBe(0)
  })
})
