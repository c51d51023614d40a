/**
 * Reads and writes rows without the API: data at rest, and states that take too long to reach through the
 * API.
 */
import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely'
import type { Database } from '../src/database/engine/db.ts'
import type { Tables } from '../src/database/schema/tables.ts'

type Server = { readonly deps: { readonly db: Database } }
type Name = keyof Tables
type Row<T extends Name> = Selectable<Tables[T]>

/** The rows with these values. */
export async function rowsOf<T extends Name>(
  { deps }: Server,
  table: T,
  values: Partial<Row<T>> = {},
  order?: keyof Row<T> & string,
): Promise<Row<T>[]> {
  const found = loose(deps.db.read)
    .selectFrom<string>(table)
    .selectAll()
    .where((e) => e.and(values))
  return (await (order === undefined ? found : found.orderBy(order)).execute()) as Row<T>[]
}

/** The first row with these values; there must be one. */
export async function rowOf<T extends Name>(
  server: Server,
  table: T,
  values: Partial<Row<T>>,
): Promise<Row<T>> {
  const [row] = await rowsOf(server, table, values)
  if (row === undefined) throw new Error(`no row of ${table} has ${JSON.stringify(values)}`)
  return row
}

export async function insertRows<T extends Name>(
  { deps }: Server,
  table: T,
  rows: Insertable<Tables[T]> | readonly Insertable<Tables[T]>[],
): Promise<void> {
  await deps.db.transaction((tx) => loose(tx).insertInto<string>(table).values(rows).execute())
}

/** Changes the rows with these values. */
export async function changeRows<T extends Name>(
  { deps }: Server,
  table: T,
  values: Partial<Row<T>>,
  changes: Updateable<Tables[T]>,
): Promise<void> {
  await deps.db.transaction((tx) =>
    loose(tx)
      .updateTable<string>(table)
      .set(changes)
      .where((e) => e.and(values))
      .execute(),
  )
}

/** On PostgreSQL, the number of transactions that wait for another one's lock. */
export async function countLockWaits({ deps }: Server): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(deps.db.read)
  return Number(rows[0]?.count)
}

/**
 * Kysely can't infer types for a statement whose table is a type parameter, so the functions above declare
 * them.
 */
function loose(db: unknown): Kysely<Record<string, Record<string, unknown>>> {
  return db as Kysely<Record<string, Record<string, unknown>>>
}
