/**
 * Guarantees of transactions on PostgreSQL: deadlocks are retried, and a broken connection fails only the
 * transactions in flight.
 */
import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgres, type TestDatabase } from '../../../../test/databases.ts'
import { runRaw } from '../../../../test/store/raw.ts'
import { countRows, tier } from '../../../../test/store/rows.ts'
import type { Queries } from '../db.ts'
import { isUnavailable } from '../dialect.ts'

const END_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

const LOCK_WHEN_READ_WAITS = `do $$ begin
  while not exists (
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
  ) loop
    perform pg_sleep(0.005), pg_stat_clear_snapshot();
  end loop;
  lock table scripts;
end $$`

describe('in the store on PostgreSQL', () => {
  let db: TestDatabase

  beforeEach(async () => {
    db = await postgres.open()
    await db.transaction((tx) =>
      tx
        .insertInto('tiers')
        .values([tier, { ...tier, id: 2 }])
        .execute(),
    )
  })
  afterEach(() => db.remove())

  const raise = (tx: Queries, id: number) =>
    tx
      .updateTable('tiers')
      .set((e) => ({ max_users: e('max_users', '+', 1) }))
      .where('id', '=', id)
      .execute()

  test('two changes that lock the same rows in opposite order both succeed', async () => {
    let runs = 0
    let holding = 0
    const { promise: bothHoldOne, resolve: release } = Promise.withResolvers<void>()
    const change = (first: number, second: number) =>
      db.transaction(async (tx) => {
        runs += 1
        await raise(tx, first)
        holding += 1
        if (holding === 2) release()
        await bothHoldOne
        await raise(tx, second)
      })
    await Promise.all([change(1, 2), change(2, 1)])
    const rows = await db.read.selectFrom('tiers').select('max_users').execute()
    expect(rows.map((row) => row.max_users)).toEqual([tier.max_users + 2, tier.max_users + 2])
    expect(runs).toBeGreaterThan(2)
  })

  test('altering a table from another process fails neither changes nor reads on any connection', async () => {
    const insert = (id: number) =>
      db.transaction((tx) =>
        tx
          .insertInto('tiers')
          .values({ ...tier, id })
          .returningAll()
          .executeTakeFirstOrThrow(),
      )
    // The reads run concurrently, so that each uses its own connection.
    const ids = (from: number) => Array.from({ length: 10 }, (_, n) => from + n)
    await Promise.all(ids(10).map(insert))
    await runRaw(db.location, 'alter table tiers add column color text')
    expect((await Promise.all(ids(20).map(insert))).map(({ id }) => id)).toEqual(ids(20))
    expect(await insert(30)).toMatchObject({ id: 30, color: null })
  })

  test.each(['read', 'readPoint'] as const)(
    'a `%s` that deadlocks with a migration is retried',
    async (kind) => {
      const name = new URL(db.location.databaseUrl ?? '').pathname.slice(1)
      await runRaw(db.location, `alter database ${name} set deadlock_timeout = '2s'`)
      const migration = new pg.Client({ connectionString: db.location.databaseUrl })
      await migration.connect()
      await migration.query(`set deadlock_timeout = '1h'; begin; lock table projects`)
      const reading = sql`select 1 as one from scripts, projects`.execute(db[kind])
      // The lock is taken inside the database server, before the waiting read checks for deadlocks.
      await migration.query(LOCK_WHEN_READ_WAITS)
      await migration.query('commit')
      expect((await reading).rows).toEqual([])
      await migration.end()
    },
  )

  test('a point read of a locked table fails after five seconds', async () => {
    const holder = new pg.Client({ connectionString: db.location.databaseUrl })
    await holder.connect()
    await holder.query('begin; lock table customers')
    const began = performance.now()
    await expect(sql`select id from customers`.execute(db.readPoint)).rejects.toThrow('statement timeout')
    expect(performance.now() - began).toBeLessThan(12_000)
    await holder.query('commit')
    expect((await sql`select id from customers`.execute(db.readPoint)).rows).toEqual([])
    await holder.end()
  })

  test('a change that fails for another reason is not retried', async () => {
    let runs = 0
    const change = db.transaction(async (tx) => {
      runs += 1
      await sql`select 1 / 0`.execute(tx)
    })
    await expect(change).rejects.toThrow('division by zero')
    expect(runs).toBe(1)
  })

  test('when one of several concurrent statements fails, none takes effect and the change fails with that error', async () => {
    const together = (tx: Queries) => [raise(tx, 1), sql`select 1 / 0`.execute(tx), raise(tx, 2)]
    await expect(db.transaction((tx) => Promise.all(together(tx)))).rejects.toThrow('division by zero')
    await expect(db.transaction((tx) => Promise.allSettled(together(tx)))).rejects.toThrow('division by zero')
    const rows = await db.read.selectFrom('tiers').select('max_users').execute()
    expect(rows.map((row) => row.max_users)).toEqual([tier.max_users, tier.max_users])
  })

  test('a server restart fails only transactions in flight', async () => {
    const change = db.transaction(async (tx) => {
      await raise(tx, 1)
      await runRaw(db.location, END_OTHERS)
      await raise(tx, 2)
    })
    expect(isUnavailable(await change.catch((error) => error))).toBe(true)
    await expect.poll(() => db.load().connections).toBe(0)
    await db.ping()
    await db.transaction((tx) => raise(tx, 1))
    const rows = await db.read.selectFrom('tiers').select('max_users').orderBy('id').execute()
    expect(rows.map((row) => row.max_users)).toEqual([tier.max_users + 1, tier.max_users])
  })

  test('a statement whose begin failed is rejected instead of committed', async () => {
    const change = db.transaction(async (tx) => {
      await sql`commit`.execute(tx)
      await raise(tx, 1)
    })
    await expect(change).rejects.toThrow('read-only transaction')
    const row = await db.read.selectFrom('tiers').select('max_users').where('id', '=', 1).executeTakeFirst()
    expect(row?.max_users).toBe(tier.max_users)
  })

  test('a transaction without a statement succeeds', async () => {
    expect(await db.transaction(async () => 'nothing')).toBe('nothing')
    await db.transaction((tx) => raise(tx, 1))
  })

  test('statements are prepared on their connection unless they contain long lists', async () => {
    const kept = await db.transaction(async (tx) => {
      await raise(tx, 1)
      await tx
        .deleteFrom('tiers')
        .where(
          'id',
          'in',
          Array.from({ length: 1000 }, (_, id) => id + 10),
        )
        .execute()
      const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
        tx,
      )
      return rows.map(({ statement }) => statement)
    })
    expect(kept.some((text) => text.startsWith('update "tiers"'))).toBe(true)
    expect(kept.some((text) => text.startsWith('delete from "tiers"'))).toBe(false)
  })

  test('more concurrent transactions than connections all succeed', async () => {
    await Promise.all(Array.from({ length: 60 }, () => db.transaction((tx) => raise(tx, 1))))
    const row = await db.read.selectFrom('tiers').select('max_users').where('id', '=', 1).executeTakeFirst()
    expect(row?.max_users).toBe(tier.max_users + 60)
    expect(await countRows(db.read, 'tiers')).toBe(2)
  })
})
