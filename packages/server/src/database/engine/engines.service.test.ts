/** Verifies that the store hides the differences between the two engines. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, type TestDatabase } from '../../../test/databases.ts'
import {
  AT,
  countRows,
  customer,
  instance,
  plant,
  project,
  script,
  scriptVersion,
  tier,
  user,
} from '../../../test/store/rows.ts'
import { dialectOf, isSerializationFailure, isUnavailable, isUniqueViolation } from './dialect.ts'

class Undo extends Error {}

describe.each(engines)('in the store on $name', (engine) => {
  let db: TestDatabase

  beforeAll(async () => {
    db = await engine.open()
    await db.transaction((tx) => plant(tx))
  })
  afterAll(() => db.remove())

  /** Runs a change, rolls it back, and returns its result. */
  const attempt = async <T>(change: Parameters<typeof db.transaction<T>>[0]): Promise<T> => {
    const kept: T[] = []
    const done = db.transaction(async (tx) => {
      kept.push(await change(tx))
      throw new Undo()
    })
    await done.catch((error) => {
      if (!(error instanceof Undo)) throw error
    })
    return kept[0] as T
  }
  const failure = (change: Parameters<typeof db.transaction>[0]) =>
    db.transaction(change).catch((error) => error)
  const value = async (expression: ReturnType<typeof sql>) => {
    const { rows } = await sql<{ value: unknown }>`select ${expression} as value`.execute(db.read)
    return rows[0]?.value
  }

  test('times, prices and counts are read back as the numbers that were written', async () => {
    const row = await db.read.selectFrom('customers').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      seq: 1,
      created_at: AT,
      plan_expires: AT + 1000,
      total_executions: 0,
      admin: 0,
    })
    expect(await db.read.selectFrom('tiers').select('price').executeTakeFirst()).toEqual({
      price: tier.price,
    })
    expect(await countRows(db.read, 'users')).toBe(1)
  })

  test('a sum over large numbers is a number', async () => {
    const total = await db.read
      .selectFrom('customers')
      .select((e) => e.fn.sum<number>('created_at').as('total'))
      .executeTakeFirst()
    expect(total).toEqual({ total: AT })
  })

  test('bytes are read back unchanged, including NUL and invalid UTF-8', async () => {
    const row = await db.read
      .selectFrom('script_versions')
      .select(['source', 'payload'])
      .executeTakeFirstOrThrow()
    expect(row.source).toBeInstanceOf(Uint8Array)
    expect([Buffer.from(row.source), Buffer.from(row.payload)]).toEqual([
      scriptVersion.source,
      scriptVersion.payload,
    ])
  })

  test('strings keep every character, including quotes and characters beyond the BMP', async () => {
    const note = `a'b"c\\ \n\t é 漢 😀 \u2028 %_ ; -- $1 ?`
    const { note: read } = await attempt((tx) =>
      tx.updateTable('users').set({ note }).returning('note').executeTakeFirstOrThrow(),
    )
    expect(read).toBe(note)
  })

  test('integers use integer division and concatenate without a fraction', async () => {
    expect(await value(sql`cast(${7} as integer) / ${2}`)).toBe(3)
    const row = await attempt((tx) =>
      tx
        .updateTable('users')
        .set({
          executions: sql`executions + ${7} / 2`,
          note: sql`cast(${5} as ${sql.raw(dialectOf(tx).bigint)}) || 'x'`,
        })
        .returning(['executions', 'note'])
        .executeTakeFirstOrThrow(),
    )
    expect(row).toEqual({ executions: 3, note: '5x' })
  })

  test('a value of the wrong type is rejected and the connection stays usable', async () => {
    const wrong = [{ created_at: 1.5 }, { created_at: 'soon' }, { executions: null }]
    for (const changes of wrong) {
      const error = await failure((tx) =>
        tx
          .updateTable('users')
          .set(changes as never)
          .execute(),
      )
      expect(error).toBeInstanceOf(Error)
      expect([isUniqueViolation(error), isUnavailable(error)]).toEqual([false, false])
    }
    await db.ping()
  })

  test('the size of the database includes what was just written', async () => {
    const before = await db.size()
    expect(before).toBeGreaterThan(100_000)
    await db.transaction(async (tx) => {
      const more = { ...user, chat_id: null }
      for (let row = 0; row < 300; row += 1)
        await tx
          .insertInto('users')
          .values({ ...more, key: `large ${row}`, note: randomBytes(200).toString('hex') })
          .execute()
    })
    expect(await db.size()).toBeGreaterThan(before)
    await db.transaction((tx) => tx.deleteFrom('users').where('key', 'like', 'large %').execute())
  })

  test('a unique violation is distinguished from other failures', async () => {
    const key = await failure((tx) =>
      tx
        .insertInto('users')
        .values({ ...user, chat_id: null })
        .execute(),
    )
    const chat = await failure((tx) =>
      tx
        .insertInto('users')
        .values({ ...user, key: 'other' })
        .execute(),
    )
    const pair = await failure((tx) => tx.insertInto('script_versions').values(scriptVersion).execute())
    const id = await failure((tx) => tx.insertInto('tiers').values(tier).execute())
    expect([key, chat, pair, id].map(isUniqueViolation)).toEqual([true, true, true, true])
    const parent = await failure((tx) =>
      tx
        .insertInto('users')
        .values({ ...user, key: 'other', project_id: 'none' })
        .execute(),
    )
    expect([isUniqueViolation(parent), isSerializationFailure(parent)]).toEqual([false, false])
    expect(parent).toBeInstanceOf(Error)
  })

  test('several users of a project may have no Discord account', async () => {
    const keys = ['one', 'two'].map((key) => ({ ...user, key, chat_id: null }))
    expect(
      await attempt((tx) => tx.insertInto('users').values(keys).returning('chat_id').execute()),
    ).toHaveLength(2)
  })

  test('each dialect capability does what its name says', async () => {
    const dialect = dialectOf(db.read)
    expect(await value(sql`${sql.raw(dialect.greatest)}(2, 11, 3)`)).toBe(11)
    const alike = sql<{
      name: string
    }>`select name from projects where name ${sql.raw(dialect.like)} ${'%gARd%'}`
    expect((await alike.execute(db.read)).rows).toHaveLength(1)
  })

  test('the sequence number of a deleted row is never reused', async () => {
    const add = (id: string) =>
      db.transaction((tx) =>
        tx
          .insertInto('projects')
          .values({ ...project, id })
          .execute(),
      )
    const seqOf = (id: string) =>
      db.read.selectFrom('projects').select('seq').where('id', '=', id).executeTakeFirstOrThrow()
    const remove = (id: string) =>
      db.transaction((tx) => tx.deleteFrom('projects').where('id', '=', id).execute())
    await add('gone')
    const gone = await seqOf('gone')
    await remove('gone')
    await add('next')
    expect((await seqOf('next')).seq).toBeGreaterThan(gone.seq)
    await remove('next')
  })

  test.each([
    [
      'a project',
      'projects',
      ['projects', 'scripts', 'script_versions', 'line_maps', 'users', 'user_fingerprints', 'ffa_devices'],
    ],
    ['a script', 'scripts', ['scripts', 'script_versions', 'line_maps', 'daily_executions']],
    ['a user', 'users', ['users', 'user_fingerprints']],
  ] as const)('removing %s removes the rows that belong to it, and no others', async (_, table, emptied) => {
    const rest = table === 'projects' ? [] : (['projects', 'ffa_devices'] as const)
    const counts = await attempt(async (tx) => {
      await tx.deleteFrom(table).execute()
      const count = (names: readonly (typeof emptied)[number][]) =>
        Promise.all(names.map((name) => countRows(tx, name)))
      return { gone: await count(emptied), left: await count(rest) }
    })
    expect(counts).toEqual({ gone: emptied.map(() => 0), left: rest.map(() => 1) })
  })

  test('an account with projects and a service tier with accounts cannot be deleted', async () => {
    for (const table of ['customers', 'tiers'] as const) {
      expect(await failure((tx) => tx.deleteFrom(table).execute())).toBeInstanceOf(Error)
    }
    expect(await countRows(db.read, 'customers')).toBe(1)
  })

  test('an updated row counts as changed even when its values stay the same', async () => {
    const counts = await attempt(async (tx) => {
      const same = await tx.updateTable('customers').set({ id: customer.id }).executeTakeFirst()
      const none = await tx.deleteFrom('instances').where('exec', '=', 'none').executeTakeFirst()
      const ignored = await tx
        .insertInto('instances')
        .values({ ...instance, script_id: script.id })
        .onConflict((conflict) => conflict.column('exec').doNothing())
        .executeTakeFirst()
      return [same.numUpdatedRows, none.numDeletedRows, ignored.numInsertedOrUpdatedRows]
    })
    expect(counts).toEqual([1n, 0n, 0n])
  })
})
