/** Bulk changes are atomic even if the process is killed, don't block readers, and run one at a time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { engines, reopen, type TestDatabase } from '../../../../test/databases.ts'
import { countRows, plant, tier } from '../../../../test/store/rows.ts'
import { refuse } from '../../../api/refusals.ts'
import type { Queries } from '../db.ts'
import { isUniqueViolation } from '../dialect.ts'

const CHILD = fileURLToPath(new URL('../../../../test/store/write-users.ts', import.meta.url))
const ROUNDS = 4

describe.each(engines)('on $name', (engine) => {
  let db: TestDatabase
  beforeEach(async () => {
    db = await engine.open()
  })
  afterEach(() => db.remove())

  const addTier = (id: number) => (tx: Queries) =>
    tx
      .insertInto('tiers')
      .values({ ...tier, id })
      .returning('id')
      .executeTakeFirstOrThrow()
  const tierIds = async () =>
    (await db.read.selectFrom('tiers').select('id').orderBy('id').execute()).map(({ id }) => id)

  test('acknowledged bulk changes are visible to all readers and return their value', async () => {
    expect(await db.bulk(addTier(1))).toEqual({ id: 1 })
    expect(await tierIds()).toEqual([1])
    expect(
      await db.bulk(
        async (tx) => (await tx.updateTable('tiers').set({ name: 'n' }).executeTakeFirst()).numUpdatedRows,
      ),
    ).toBe(1n)
  })

  test('bulk changes are rolled back when they throw, are rejected, or a statement fails', async () => {
    const refused = await db.bulk(async (tx) => {
      await addTier(1)(tx)
      return refuse('account_expired')
    })
    expect(refused).toMatchObject({ reason: 'account_expired' })
    const thrown = db.bulk(async (tx) => {
      await addTier(2)(tx)
      throw new Error('changed its mind')
    })
    await expect(thrown).rejects.toThrow('changed its mind')
    const twice = await db
      .bulk(async (tx) => {
        await addTier(3)(tx)
        await addTier(3)(tx).catch(() => {})
      })
      .catch((error: unknown) => error)
    expect(isUniqueViolation(twice)).toBe(true)
    expect(await tierIds()).toEqual([])
    await db.bulk(addTier(4))
    expect(await tierIds()).toEqual([4])
  })

  test('during a bulk change readers see the previous state and other changes wait', async () => {
    await db.transaction(addTier(1))
    const seen: number[][] = []
    const others: Promise<unknown>[] = []
    await db.bulk(async (tx) => {
      await tx.deleteFrom('tiers').execute()
      seen.push(await tierIds())
      others.push(db.transaction(addTier(5)), db.bulk(addTier(6)))
      await addTier(2)(tx)
    })
    await Promise.all(others)
    expect(seen).toEqual([[1]])
    expect(await tierIds()).toEqual([2, 5, 6])
  })

  test('a bulk change cannot be extended after its end', async () => {
    let late: Queries | undefined
    await db.bulk(async (tx) => {
      late = tx
    })
    await expect(addTier(1)(late as Queries)).rejects.toThrow('this transaction is over')
  })

  test('bulk changes enforce foreign keys and are as durable as other changes', async () => {
    const orphan = { user_key: 'nobody', project_id: 'none', component: 'c', strength: 1, hash: 'h' }
    await expect(
      db.bulk((tx) => tx.insertInto('user_fingerprints').values(orphan).execute()),
    ).rejects.toThrow(/foreign key/i)
    if (engine.name === 'PostgreSQL') return
    const pragma = await db.bulk((tx) => sql`pragma synchronous`.execute(tx))
    expect(pragma.rows).toEqual([{ synchronous: 2 }])
  })

  test('a bulk change is applied entirely or not at all when the process is killed midway', async () => {
    await db.transaction((tx) => plant(tx, 'projects'))
    await db.close()
    const { dataDir, databaseUrl = '' } = db.location
    let acknowledged = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = spawn(process.execPath, [CHILD, dataDir, databaseUrl, String(round)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      acknowledged += await killAfter(child, 1 + round)
    }
    db = await reopen(db.location)
    const rows = await countRows(db.read, 'users')
    const { rows: found } = await sql<{ count: number }>`select count(*) as count from users_search`.execute(
      db.read,
    )
    const { total_users } = await db.read
      .selectFrom('projects')
      .select('total_users')
      .executeTakeFirstOrThrow()
    expect(rows % 3000).toBe(0)
    expect(rows).toBeGreaterThanOrEqual(acknowledged * 3000)
    expect(total_users).toBe(1 + rows)
    expect(Number(found[0]?.count)).toBe(rows)
  })
})

/** Kills a writing process after `count` lines of output, and resolves to the lines that it printed. */
async function killAfter(child: ChildProcess, count: number): Promise<number> {
  let lines = 0
  const output = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  for await (const line of output) {
    if (line === 'done') lines += 1
    if (lines >= count && line === 'half') child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return lines
}
