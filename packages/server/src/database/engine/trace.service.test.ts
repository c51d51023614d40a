/** An SQL trace includes every statement but no values. */
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { engines, reopen, type TestDatabase } from '../../../test/databases.ts'
import { tier } from '../../../test/store/rows.ts'
import type { Queries } from './db.ts'
import { prepared } from './prepared.ts'

const SECRET = 'a value that no trace may show'
const rename = prepared((db, p: { id: number; name: string }) =>
  db.updateTable('tiers').set({ name: p.name }).where('id', '=', p.id),
)

describe.each(engines)('with SQL tracing on $name', (engine) => {
  let db: TestDatabase
  const traced: { readonly text: string; readonly ms: number }[] = []

  beforeEach(async () => {
    db = await reopen({
      ...(await engine.locate()),
      onStatement: (text, ms) => void traced.push({ text, ms }),
    })
    traced.length = 0
  })
  afterEach(() => db.remove())

  const insert = (tx: Queries, id: number) =>
    tx
      .insertInto('tiers')
      .values({ ...tier, id, name: SECRET })
      .execute()
  const texts = () => traced.map(({ text }) => text.replaceAll('"', ''))

  test('reads, point reads, changes and bulk changes are traced, each with its duration', async () => {
    await db.transaction((tx) => insert(tx, 1))
    await db.bulk((tx) => insert(tx, 2))
    for (const read of [db.read, db.readPoint])
      await read.selectFrom('tiers').select('id').where('name', '=', SECRET).execute()
    expect(texts().filter((text) => text.startsWith('insert into tiers'))).toHaveLength(2)
    expect(texts().filter((text) => text.startsWith('select id from tiers'))).toHaveLength(2)
    for (const { text, ms } of traced) {
      expect(text).not.toContain(SECRET)
      expect(ms).toBeGreaterThan(0)
    }
  })

  test('a statement with many lists of parameters is traced', async () => {
    await db.transaction(async (tx) => {
      await insert(tx, 1)
      const all = [1, 2].map((id) => ({ id, name: SECRET }))
      if ((await rename.countEach(tx, all)) === undefined) await rename.count(tx, { id: 1, name: SECRET })
    })
    expect(texts().filter((text) => text.startsWith('update tiers'))).toHaveLength(1)
  })

  test('a failed statement is traced', async () => {
    await expect(sql`select missing from tiers`.execute(db.read)).rejects.toThrow()
    expect(texts()).toContain('select missing from tiers')
  })
})
