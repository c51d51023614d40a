/** Reads on SQLite share one snapshot until something is committed, and never return stale data. */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sqlite, type TestDatabase } from '../../../../test/databases.ts'
import { tier } from '../../../../test/store/rows.ts'
import { findTier, insertTier } from '../../../features/accounts/store/tiers.ts'

describe('in the SQLite reader', () => {
  let db: TestDatabase
  let reads: number
  beforeEach(async () => {
    db = await sqlite.open()
    reads = 0
  })
  afterEach(() => db.remove())

  const addTier = (id: number) => db.transaction((tx) => insertTier(tx, { ...tier, id }))
  const countTiers = async () => (await db.read.selectFrom('tiers').select('id').execute()).length
  const cachedCount = async () => {
    const found = await db.cache.find('tiers', async () => {
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

  test('a commit is visible immediately, even right after a read', async () => {
    await db.transaction(async (tx) => {
      expect(await countTiers()).toBe(0)
      await insertTier(tx, { ...tier, id: 1 })
    })
    expect(await countTiers()).toBe(1)
  })

  test('a bulk commit is visible immediately', async () => {
    const reading = setInterval(() => void countTiers(), 0)
    await db.bulk((tx) => insertTier(tx, { ...tier, id: 1 }))
    clearInterval(reading)
    expect(await countTiers()).toBe(1)
  })

  test('a cached value is kept until something is committed', async () => {
    expect([await cachedCount(), await cachedCount(), reads]).toEqual([0, 0, 1])
    await addTier(1)
    expect([await cachedCount(), await cachedCount(), reads]).toEqual([1, 1, 2])
  })

  test('a cached value is dropped when another process commits', async () => {
    await addTier(1)
    expect(await cachedCount()).toBe(1)
    elsewhere('delete from tiers')
    await expect.poll(cachedCount).toBe(0)
  })

  test('the WAL restarts even though reads never stop', async () => {
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
    expect(statSync(`${db.location.dataDir}/scriptward.db-wal`).size).toBeLessThan(5_000_000)
  })

  test('a missing value is not cached', async () => {
    const look = () =>
      db.cache.find('nothing', async () => {
        reads += 1
        return undefined
      })
    expect([await look(), await look(), reads]).toEqual([undefined, undefined, 2])
  })

  test('a failed read is not cached', async () => {
    const failing = db.cache.find('tiers', () => Promise.reject(new Error('broken')))
    await expect(failing).rejects.toThrow('broken')
    expect(await cachedCount()).toBe(0)
  })
})
