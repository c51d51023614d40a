/** Guarantees of point reads on PostgreSQL, which share one pipelined connection. */
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgres, type TestDatabase } from '../../../../test/databases.ts'
import { runRaw } from '../../../../test/store/raw.ts'
import { tier } from '../../../../test/store/rows.ts'
import { isUnavailable } from '../dialect.ts'
import { prepared } from '../prepared.ts'

const END_OTHERS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

const SLEEPING = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`

const everything = prepared((db, p: { id: number }) =>
  db.selectFrom('tiers').selectAll().where('id', '=', p.id),
)
const echoOf = prepared(
  (_, p: { text: string }) => sql<{ text: string }>`select ${p.text}::text as text from tiers where id = 1`,
)
const tenthsOf = prepared(
  (_, p: { by: number }) =>
    sql<{ tenths: number }>`select (10 / ${p.by})::int as tenths from tiers where id = 1`,
)
const laterOf = prepared(
  (_, p: { id: number }) => sql<{ id: number }>`select id from later where id = ${p.id}`,
)

const messageOf = (error: Error) => error.message

describe('on PostgreSQL', () => {
  let db: TestDatabase

  beforeEach(async () => {
    db = await postgres.open()
    await db.transaction((tx) => tx.insertInto('tiers').values(tier).execute())
  })
  afterEach(() => db.remove())

  const readEverything = (count: number) =>
    Promise.all(Array.from({ length: count }, () => everything.first(db.readPoint, { id: 1 })))

  test('a hundred concurrent point reads each get their own row', async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index} ${'aö\u{1f600}'.repeat(index * 100)}`)
    const rows = await Promise.all(texts.map((text) => echoOf.first(db.readPoint, { text })))
    expect(rows.map((row) => row?.text)).toEqual(texts)
  })

  test('a failed point read does not affect others in flight', async () => {
    const read = (by: number) => tenthsOf.first(db.readPoint, { by }).catch(messageOf)
    expect(await Promise.all([1, 0, 5].map(read))).toEqual([
      { tenths: 10 },
      'division by zero',
      { tenths: 2 },
    ])
  })

  test.each([1, 40])(
    'point reads (%i at once) see a column that another process has just added',
    async (count) => {
      await readEverything(count)
      await runRaw(db.location, 'alter table tiers add column added int not null default 5')
      expect(await readEverything(count)).toEqual(Array(count).fill({ ...tier, added: 5 }))
    },
  )

  test.each([1, 40])(
    'point reads (%i at once) survive the loss of their prepared statements',
    async (count) => {
      const before = await readEverything(count)
      await sql`deallocate all`.execute(db.readPoint)
      expect(await readEverything(count)).toEqual(before)
    },
  )

  test.each([1, 40])(
    'point reads (%i at once) of a statement that could not be prepared succeed once it can be prepared',
    async (count) => {
      const read = () => laterOf.first(db.readPoint, { id: 3 }).catch(() => 'failed')
      const readAll = () => Promise.all(Array.from({ length: count }, read))
      expect(await readAll()).toEqual(Array(count).fill('failed'))
      await runRaw(db.location, 'create table later as select 3 as id')
      expect(await readAll()).toEqual(Array(count).fill({ id: 3 }))
    },
  )

  test('a lost connection fails point reads in flight as unavailable, and later ones succeed', async () => {
    await readEverything(2)
    const sleeping = sql`select pg_sleep(20)`.execute(db.readPoint)
    const waiting = Array.from({ length: 40 }, () => everything.first(db.readPoint, { id: 1 }))
    const failures = Promise.all([sleeping, ...waiting].map((one) => one.catch(isUnavailable)))
    await expect.poll(() => runRaw(db.location, SLEEPING)).toHaveLength(1)
    await runRaw(db.location, END_OTHERS)
    expect(await failures).toEqual(Array(41).fill(true))
    expect(db.load().waiting).toBe(0)
    expect(await readEverything(3)).toEqual(Array(3).fill(tier))
  })

  test('point reads started before the database was closed complete', async () => {
    for (const isConnected of [false, true]) {
      if (isConnected) await readEverything(1)
      const reads = readEverything(40)
      expect(db.load().waiting).toBe(40)
      const closed = db.close()
      expect(await reads).toEqual(Array(40).fill(tier))
      await closed
      expect(db.load().connections).toBe(0)
      await db.location.remove()
      db = await postgres.open()
      await db.transaction((tx) => tx.insertInto('tiers').values(tier).execute())
    }
  })

  test('a closed database rejects point reads without opening a connection', async () => {
    await readEverything(1)
    await db.close()
    await expect(readEverything(1)).rejects.toThrow('the database is closed')
    expect(db.load().connections).toBe(0)
    await db.location.remove()
    db = await postgres.open()
  })

  test('point reads cannot write', async () => {
    const write = db.readPoint.updateTable('tiers').set({ name: 'other' }).execute()
    await expect(write).rejects.toThrow('read-only transaction')
  })
})
