/** The declared columns of every table against the columns that the migrations really made. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, type TestDatabase } from '../databases.ts'
import { columns } from './columns.ts'

const kinds: Readonly<Record<string, string>> = {
  integer: 'number',
  int4: 'number',
  int8: 'number',
  real: 'number',
  float8: 'number',
  text: 'text',
  blob: 'bytes',
  bytea: 'bytes',
}

describe.each(engines)('tables on $name', (engine) => {
  let db: TestDatabase

  beforeAll(async () => {
    db = await engine.open()
  })
  afterAll(() => db.remove())

  test('every table has the declared columns and no others', async () => {
    const all = await db.read.introspection.getTables()
    // The index behind `search` is made of tables in its own way on each engine.
    const tables = all.filter((table) => !table.name.startsWith('users_search'))
    const found = tables.map((table) => [
      table.name,
      Object.fromEntries(
        table.columns.map((column) => [
          column.name,
          `${kinds[column.dataType.toLowerCase()]}${column.isNullable ? '?' : ''}`,
        ]),
      ),
    ])
    expect(withoutKeys(Object.fromEntries(found))).toEqual(withoutKeys(columns))
  })
})

/** SQLite reports its own row number as nullable, which it never is. */
function withoutKeys(tables: Record<string, Record<string, string>>) {
  return Object.entries(tables)
    .map(([name, { seq: _, ...rest }]) => [name, rest])
    .sort()
}
