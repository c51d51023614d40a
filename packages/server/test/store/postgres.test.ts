/** What only PostgreSQL can do to a transaction: end it for the sake of another, or break its connection. */
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Queries } from '../../src/store/db.ts'
import { isUnavailable } from '../../src/store/dialect.ts'
import { prepared } from '../../src/store/prepared.ts'
import { postgres, type TestDatabase } from '../databases.ts'
import { runRaw } from './raw.ts'
import { countRows, tier } from './rows.ts'

const END_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

type Kept = { readonly max_users: number }

const tierBy = prepared((db, p: { id: number; name: string | null }) =>
  db.selectFrom('tiers').select(['id', 'name']).where('id', '=', p.id).where('name', '=', p.name),
)
const tenthsOf = prepared(
  (_, p: { by: number }) =>
    sql<{ tenths: number }>`select (10 / ${p.by})::int as tenths from tiers where id = 1`,
)
const echoOf = prepared(
  (_, p: { text: string }) => sql<{ text: string }>`select ${p.text}::text as text from tiers where id = 1`,
)

describe('the store on PostgreSQL', () => {
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

  test('two changes that take the same rows in opposite order both succeed', async () => {
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

  test('a change that fails for another reason is not run again', async () => {
    let runs = 0
    const change = db.transaction(async (tx) => {
      runs += 1
      await sql`select 1 / 0`.execute(tx)
    })
    await expect(change).rejects.toThrow('division by zero')
    expect(runs).toBe(1)
  })

  test('of statements that are started together none is made when one fails, and the change fails for its reason', async () => {
    const together = (tx: Queries) => [raise(tx, 1), sql`select 1 / 0`.execute(tx), raise(tx, 2)]
    await expect(db.transaction((tx) => Promise.all(together(tx)))).rejects.toThrow('division by zero')
    await expect(db.transaction((tx) => Promise.allSettled(together(tx)))).rejects.toThrow('division by zero')
    const rows = await db.read.selectFrom('tiers').select('max_users').execute()
    expect(rows.map((row) => row.max_users)).toEqual([tier.max_users, tier.max_users])
  })

  test('a server that restarts fails what is under way, and nothing afterwards', async () => {
    const change = db.transaction(async (tx) => {
      await raise(tx, 1)
      await runRaw(db.location, END_OTHERS)
      await raise(tx, 2)
    })
    expect(isUnavailable(await change.catch((error) => error))).toBe(true)
    await setTimeout(50)
    await db.ping()
    await db.transaction((tx) => raise(tx, 1))
    const rows = await db.read.selectFrom('tiers').select('max_users').orderBy('id').execute()
    expect(rows.map((row) => row.max_users)).toEqual([tier.max_users + 1, tier.max_users])
  })

  test('single rows that are asked for at once are told apart, and a failure is only its own', async () => {
    const tierById = (id: number) =>
      db.readPoint.selectFrom('tiers').select('id').where('id', '=', id).executeTakeFirst()
    const wrong = sql`select 1 / (max_users - max_users) from tiers`.execute(db.readPoint)
    const all = [tierById(1), tierById(2), wrong.catch(({ message }) => message), tierById(3), tierById(2)]
    expect(await Promise.all(all)).toEqual([{ id: 1 }, { id: 2 }, 'division by zero', undefined, { id: 2 }])
  })

  test('many who ask for single rows in one turn get each his own, once', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => index % 4)
    const ask = (id: number) => tierBy.first(db.readPoint, { id, name: tier.name })
    const known = (id: number) => (id === 1 || id === 2 ? { id, name: tier.name } : null)
    expect(await Promise.all(ids.map(ask))).toEqual(ids.map(known))
  })

  test('who asks with another kind of value gets his own row beside the others', async () => {
    const names = [tier.name, null, tier.name, 'another']
    const rows = await Promise.all(names.map((name) => tierBy.first(db.readPoint, { id: 1, name })))
    expect(rows).toEqual([{ id: 1, name: tier.name }, null, { id: 1, name: tier.name }, null])
  })

  test('texts that look like parts of a list are asked for letter for letter', async () => {
    const texts = ['NULL', '', 'a"b', '\\', '{x,y}', ' padded ', "it's", '$1', 'ä\u{1f600}']
    const rows = await Promise.all(texts.map((text) => echoOf.first(db.readPoint, { text })))
    expect(rows.map((row) => row?.text)).toEqual(texts)
  })

  test('values that a statement fails for fail nobody else who asks with it', async () => {
    const ask = (by: number) => tenthsOf.first(db.readPoint, { by }).catch(({ message }) => message)
    expect(await Promise.all([1, 0, 5].map(ask))).toEqual([{ tenths: 10 }, 'division by zero', { tenths: 2 }])
  })

  describe('what was found', () => {
    const find = () => {
      const read = () =>
        db.read.selectFrom('tiers').select('max_users').where('id', '=', 1).executeTakeFirst()
      return db.unchanged.find<Kept>('first tier', read)
    }

    test('is asked for anew after a change of this process', async () => {
      await find()
      await db.transaction((tx) => raise(tx, 1))
      expect(await find()).toEqual({ max_users: tier.max_users + 1 })
      await db.bulk((tx) => raise(tx, 1))
      expect(await find()).toEqual({ max_users: tier.max_users + 2 })
    })

    test('is asked for anew some milliseconds after a change of another process', async () => {
      await find()
      await runRaw(db.location, 'update tiers set max_users = 7 where id = 1')
      await setTimeout(20)
      expect(await find()).toEqual({ max_users: 7 })
    })
  })

  test('a server that restarts fails the single rows that are under way, and none afterwards', async () => {
    const sleeping = sql`select pg_sleep(20)`.execute(db.readPoint)
    const next = db.readPoint.selectFrom('tiers').select('id').execute()
    const failures = Promise.all([sleeping, next].map((one) => one.catch(isUnavailable)))
    await setTimeout(50)
    await runRaw(db.location, END_OTHERS)
    expect(await failures).toEqual([true, true])
    expect(await db.readPoint.selectFrom('tiers').select('id').where('id', '=', 1).execute()).toHaveLength(1)
    expect(db.load().waiting).toBe(0)
  })

  test('single rows of a database that was closed are refused, and open no connection', async () => {
    await echoOf.first(db.readPoint, { text: 'before' })
    await db.close()
    await expect(echoOf.first(db.readPoint, { text: 'after' })).rejects.toThrow('the database is closed')
    expect(db.load().connections).toBe(0)
    await db.location.remove()
    db = await postgres.open()
  })

  test('single rows cannot be written', async () => {
    await expect(raise(db.readPoint, 1)).rejects.toThrow('read-only transaction')
  })

  test('a statement whose begin failed is refused, as nothing would end it', async () => {
    const change = db.transaction(async (tx) => {
      await sql`commit`.execute(tx)
      await raise(tx, 1)
    })
    await expect(change).rejects.toThrow('read-only transaction')
    const row = await db.read.selectFrom('tiers').select('max_users').where('id', '=', 1).executeTakeFirst()
    expect(row?.max_users).toBe(tier.max_users)
  })

  test('a change that asks nothing begins and ends all the same', async () => {
    expect(await db.transaction(async () => 'nothing')).toBe('nothing')
    await db.transaction((tx) => raise(tx, 1))
  })

  test('a leisurely change does not wait for the disk, and the next one on its connection does', async () => {
    const waits = async (tx: Queries) => {
      const { rows } = await sql<Record<string, string>>`show synchronous_commit`.execute(tx)
      return rows[0]?.synchronous_commit
    }
    expect(await db.transaction(waits, 'leisurely')).toBe('off')
    expect(await db.transaction(waits)).toBe('on')
  })

  test('leisurely changes share a transaction, eight at the most', async () => {
    const transaction = async (tx: Queries) => {
      const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(tx)
      return rows[0]?.id
    }
    const ids = await Promise.all(Array.from({ length: 10 }, () => db.transaction(transaction, 'leisurely')))
    expect(new Set(ids.slice(0, 8)).size).toBe(1)
    expect(new Set(ids).size).toBe(2)
  })

  test('a leisurely change that takes too long fails alone', async () => {
    const slow = db.transaction(async (tx) => {
      await sql`set local statement_timeout = 50`.execute(tx)
      await sql`select pg_sleep(5)`.execute(tx)
    }, 'leisurely')
    const beside = db.transaction((tx) => raise(tx, 1), 'leisurely')
    await Promise.all([expect(slow).rejects.toThrow(/statement timeout/), beside])
  })

  test('leisurely changes whose connection ends are not made again, and the next ones are made', async () => {
    let begun = 0
    const ends = db.transaction(async (tx) => {
      begun += 1
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    }, 'leisurely')
    const beside = db.transaction((tx) => raise(tx, 1), 'leisurely')
    const failures = Promise.all([ends, beside].map((one) => one.catch(isUnavailable)))
    expect(await failures).toEqual([true, true])
    expect(begun).toBe(1)
    await db.transaction((tx) => raise(tx, 1), 'leisurely')
  })

  test('what a connection was told once it keeps the plan of, but for long lists', async () => {
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

  test('more changes at once than there are connections all take their turn', async () => {
    await Promise.all(Array.from({ length: 60 }, () => db.transaction((tx) => raise(tx, 1))))
    const row = await db.read.selectFrom('tiers').select('max_users').where('id', '=', 1).executeTakeFirst()
    expect(row?.max_users).toBe(tier.max_users + 60)
    expect(await countRows(db.read, 'tiers')).toBe(2)
  })
})
