/** The declared columns of every table match the columns that the migrations create. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines, type TestDatabase } from '../../../test/databases.ts'
import { tables } from './tables.ts'

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

type Described = { readonly name: string; readonly kind: string | undefined; readonly isNullable: boolean }

describe.each(engines)('on $name', (engine) => {
  let db: TestDatabase

  beforeAll(async () => {
    db = await engine.open()
  })
  afterAll(() => db.remove())

  test('every table of the database has the declared columns and no others', async () => {
    const all = await db.read.introspection.getTables()
    // The tables of the search index differ by engine, and only migrations use `compatibility`.
    const found = all.filter(({ name }) => !name.startsWith('users_search') && name !== 'compatibility')
    const inDatabase = found.map(({ name, columns }) => [
      name,
      sorted(
        columns.map((column) => {
          const kind = kinds[column.dataType.toLowerCase()]
          return { name: column.name, kind, isNullable: column.isNullable }
        }),
      ),
    ])
    const declared = Object.entries(tables).map(([name, columns]) => [
      name,
      sorted(
        Object.entries(columns).map(([column, { kind, isNullable }]) => ({ name: column, kind, isNullable })),
      ),
    ])
    expect(Object.fromEntries(inDatabase)).toEqual(Object.fromEntries(declared))
  })
})

/** SQLite reports its row ID as nullable, although it is never null. */
function sorted(columns: readonly Described[]): Described[] {
  return columns
    .map((column) => (column.name === 'seq' ? { ...column, isNullable: false } : column))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
