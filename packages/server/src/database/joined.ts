/** Rows of several tables in one result. */
import { type Selectable, sql } from 'kysely'
import type { Columns, TableOf } from './schema/columns.ts'

export type Joined = Readonly<Record<string, unknown>>

/** The columns of one table under names that no other table has, and the way back to a row of that table. */
export function part<C extends Columns>(alias: string, columns: C) {
  const names = Object.keys(columns)
  const joined = (name: string) => `${alias}_${name}`
  return {
    list: names.map((name) => sql.ref(`${alias}.${name}`).as(joined(name))),
    rowFrom: (row: Joined) =>
      Object.fromEntries(names.map((name) => [name, row[joined(name)]])) as Selectable<TableOf<C>>,
  }
}
