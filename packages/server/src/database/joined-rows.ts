/**
 * Reads rows from several tables with one prepared statement. The driver returns each row as an array of
 * values, because building an object with a hundred columns only to split it again costs more than the read
 * itself.
 */
import { type AliasedRawBuilder, type CompiledQuery, type Selectable, sql } from 'kysely'
import type { Queries } from './engine/db.ts'
import { prepared, type Values } from './engine/prepared.ts'
import type { Columns, TableOf } from './schema/columns.ts'

/** Maps each table to its alias in the statement and to its columns. */
type Parts = Readonly<Record<string, readonly [alias: string, columns: Columns]>>
type RowsOf<T extends Parts> = { readonly [N in keyof T]: Selectable<TableOf<T[N][1]>> } & {
  /** The values selected after these columns. */
  readonly rest: readonly unknown[]
}
type Selected = AliasedRawBuilder<unknown, string>
type Part = { readonly name: string; readonly columns: readonly string[]; readonly start: number }

export type JoinedRows<P extends Values, R> = {
  readonly all: (db: Queries, values: P) => Promise<R[]>
  /** Returns the only row, or undefined. */
  readonly first: (db: Queries, values: P) => Promise<R | undefined>
}

/** `build` must select the given columns first. */
export function joinedRows<T extends Parts, P extends Values>(
  parts: T,
  build: (
    db: Queries,
    columns: readonly Selected[],
    parameters: P,
  ) => { compile(db: Queries): CompiledQuery },
): JoinedRows<P, RowsOf<T>> {
  const placed = placeParts(parts)
  const end = placed.reduce((sum, { columns }) => sum + columns.length, 0)
  const rowsFrom = (values: readonly unknown[]) => {
    const rows: Record<string, unknown> = { rest: values.slice(end) }
    for (const part of placed) rows[part.name] = rowFrom(part, values)
    return rows as RowsOf<T>
  }
  const statement = prepared<P, readonly unknown[]>(
    (db, parameters) =>
      build(db, selectedFrom(parts), parameters) as { compile(db: Queries): CompiledQuery<unknown[]> },
    { asLists: true },
  )
  return {
    all: async (db, values) => (await statement.all(db, values)).map(rowsFrom),
    first: async (db, values) => {
      const found = await statement.first(db, values)
      return found === null ? undefined : rowsFrom(found)
    },
  }
}

function selectedFrom(parts: Parts): Selected[] {
  return Object.values(parts).flatMap(([alias, columns]) =>
    Object.keys(columns).map((name) => sql.ref(`${alias}.${name}`).as(`${alias}_${name}`)),
  )
}

function placeParts(parts: Parts): Part[] {
  let start = 0
  return Object.entries(parts).map(([name, [, columns]]) => {
    const part = { name, columns: Object.keys(columns), start }
    start += part.columns.length
    return part
  })
}

function rowFrom({ columns, start }: Part, values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  let at = start
  for (const column of columns) row[column] = values[at++]
  return row
}
