/** Statements are compiled once and run with different parameters. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, type TestDatabase } from '../../../test/databases.ts'
import { plant, user } from '../../../test/store/rows.ts'
import { joinedRows } from '../joined-rows.ts'
import { tables } from '../schema/tables.ts'
import type { Queries } from './db.ts'
import { prepared } from './prepared.ts'

const byKey = prepared((db, p: { key: string }) =>
  db.selectFrom('users').select('note').where('key', '=', p.key),
)
const newest = prepared((db, p: { project_id: string; most: number }) =>
  db
    .selectFrom('users')
    .select('key')
    .where('project_id', '=', p.project_id)
    .orderBy('seq', 'desc')
    .limit(p.most),
)
const noted = prepared((db, p: { key: string; note: string | null }) =>
  db.updateTable('users').set({ note: p.note }).where('key', '=', p.key).where('blacklisted', '=', 0),
)
const added = prepared((db, p: { key: string; at: number }) =>
  db
    .insertInto('users')
    .values({ key: p.key, customer_id: user.customer_id, project_id: user.project_id, created_at: p.at })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doUpdateSet({ created_at: p.at }))
    .returning(['key', 'created_at']),
)

const shouted = prepared(
  (_, p: { key: string; end: string }) =>
    sql<{ loud: string }>`select upper(key) || ${p.end} as loud from users where key = ${p.key}`,
)

const followed = joinedRows(
  { user: ['u', tables.users], plan: ['n', tables.plans] },
  (db, columns, p: { key: string }) =>
    db
      .selectFrom('users as u')
      .leftJoin('plans as n', 'n.id', 'u.plan_id')
      .select(columns)
      .select(sql<number>`40 + 2`.as('more'))
      .where('u.key', '=', p.key),
)

describe.each(engines)('with prepared statements on $name', (engine) => {
  let db: TestDatabase

  beforeAll(async () => {
    db = await engine.open()
    await db.transaction((tx) => plant(tx))
  })
  afterAll(() => db.remove())

  test('each run uses its own parameters', async () => {
    await db.transaction((tx) => added.all(tx, { key: 'second', at: 2 }))
    const newestOf = (most: number) => newest.all(db.read, { project_id: user.project_id, most })
    expect(await Promise.all([newestOf(1), newestOf(5), newestOf(0)])).toEqual([
      [{ key: 'second' }],
      [{ key: 'second' }, { key: user.key }],
      [],
    ])
  })

  test('the only row or null is returned, and parameters may be null', async () => {
    await db.transaction((tx) => noted.count(tx, { key: user.key, note: 'hello' }))
    expect(await byKey.first(db.read, { key: user.key })).toEqual({ note: 'hello' })
    await db.transaction((tx) => noted.count(tx, { key: user.key, note: null }))
    expect(await byKey.first(db.read, { key: user.key })).toEqual({ note: null })
    expect(await byKey.first(db.read, { key: 'nobody' })).toBeNull()
  })

  test('a change returns how many rows it changed, and is part of its transaction', async () => {
    const counts = await db
      .transaction(async (tx) => {
        const counted = [
          await noted.count(tx, { key: user.key, note: 'x' }),
          await noted.count(tx, { key: '', note: 'x' }),
        ]
        throw new Error(counted.join())
      })
      .catch((error: Error) => error.message)
    expect(counts).toBe('1,0')
    expect(await byKey.first(db.read, { key: user.key })).toEqual({ note: null })
  })

  test('a repeated change returns the rows that each run changed, and is part of its transaction', async () => {
    const counted = await db
      .transaction(async (tx) => {
        const all = [user.key, '', user.key].map((key, i) => ({ key, note: `${i}` }))
        const touched = await noted.countEach(tx, all)
        const row = await byKey.first(tx, { key: user.key })
        throw new Error(JSON.stringify([touched ?? 'one statement', row?.note]))
      })
      .catch((error: Error) => error.message)
    const expected = engine.name === 'SQLite' ? [[1, 0, 1], '2'] : ['one statement', null]
    expect(JSON.parse(counted)).toEqual(expected)
    expect(await byKey.first(db.read, { key: user.key })).toEqual({ note: null })
  })

  test('a parameter may be used twice', async () => {
    const [row] = await db.transaction((tx) => added.all(tx, { key: user.key, at: 77 }))
    expect(row).toEqual({ key: user.key, created_at: 77 })
  })

  test('a statement may be written in raw SQL', async () => {
    const row = await shouted.first(db.read, { key: user.key, end: '!' })
    expect(row).toEqual({ loud: `${user.key.toUpperCase()}!` })
  })

  test('rows of several tables keep their own columns, on every kind of connection', async () => {
    const read = async (db: Queries) => {
      const found = await followed.first(db, { key: user.key })
      const { key, project_id, created_at } = found?.user ?? {}
      return { key, project_id, created_at, plan: found?.plan, rest: found?.rest }
    }
    const plan = Object.fromEntries(Object.keys(tables.plans).map((name) => [name, null]))
    const { key, project_id } = user
    const expected = { key, project_id, created_at: 77, plan, rest: [42] }
    const other = async (tx: Queries) => {
      await sql`update users set created_at = 77 where key = ${user.key}`.execute(tx)
      return read(tx)
    }
    expect(await db.transaction(other)).toEqual(expected)
    expect(await db.bulk(other)).toEqual(expected)
    expect([await read(db.read), await read(db.readPoint)]).toEqual([expected, expected])
    expect(await followed.first(db.read, { key: 'nobody' })).toBeUndefined()
  })

  test('the same statement runs on many connections', async () => {
    const reads = Array.from({ length: 40 }, () => byKey.first(db.read, { key: user.key }))
    expect(new Set((await Promise.all(reads)).map((row) => row?.note))).toEqual(new Set([null]))
  })

  test('reading a parameter while building a statement throws an error that names the parameter', async () => {
    const few = prepared((db, p: { most: number }) =>
      db
        .selectFrom('users')
        .select('key')
        .limit(Number(p.most) + 1),
    )
    await expect(few.all(db.read, { most: 1 })).rejects.toThrow('the parameter "most"')
  })
})
