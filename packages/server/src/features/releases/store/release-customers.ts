/** All queries on the `release_customers` table. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf, type JsonColumn } from '../../../database/engine/dialect.ts'
import type { ReleaseCustomersTable } from '../../../database/schema/release-tables.ts'

export type ReleaseCustomerRow = Selectable<ReleaseCustomersTable>

const columns = [
  ['release_id', 'text'],
  ['fresh', 'integer'],
  ['customer', 'text'],
  ['executor', 'text'],
  ['exec', 'text'],
  ['bad', 'integer'],
] as const satisfies readonly JsonColumn[]

/** Adds customers that have not been counted yet. If a customer has several rows, pass only the first one. */
export const insertReleaseCustomers = async (
  tx: Queries,
  rows: readonly ReleaseCustomerRow[],
): Promise<void> => {
  if (rows.length === 0) return
  const lists = JSON.stringify(rows.map((row) => columns.map(([name]) => row[name])))
  await sql`insert into release_customers (release_id, fresh, customer, executor, exec, bad)
    select release_id, fresh, customer, executor, exec, bad from ${dialectOf(tx).rowsFrom(lists, columns)} as given
    where true order by release_id, fresh, customer on conflict do nothing`.execute(tx)
}

type CustomerRun = Pick<ReleaseCustomerRow, 'customer' | 'exec'> & { readonly release_ids: readonly string[] }

/** Marks the customer as bad if this is the run that counts. */
export const updateBadCustomer = async (
  tx: Queries,
  { release_ids, customer, exec }: CustomerRun,
): Promise<void> => {
  await tx
    .updateTable('release_customers')
    .set({ bad: 1 })
    .where('release_id', 'in', release_ids)
    .where('customer', '=', customer)
    .where('exec', '=', exec)
    .execute()
}

export type SideCount = {
  readonly fresh: 0 | 1
  readonly executor: string
  readonly customers: number
  readonly bad: number
}

/** Counts both versions' customers by executor. */
export const countReleaseCustomers = async (db: Queries, releaseId: string): Promise<SideCount[]> => {
  const rows = await db
    .selectFrom('release_customers')
    .select(['fresh', 'executor'])
    .select((e) => [e.fn.countAll<number>().as('customers'), e.fn.sum<number>('bad').as('bad')])
    .where('release_id', '=', releaseId)
    .groupBy(['fresh', 'executor'])
    .orderBy('executor')
    .execute()
  return rows.map(({ customers, bad, ...row }) => ({
    ...row,
    customers: Number(customers),
    bad: Number(bad),
  }))
}

/** Counts the customers of one version. */
export const countSide = async (db: Queries, releaseId: string, fresh: 0 | 1): Promise<number> => {
  const { count } = await db
    .selectFrom('release_customers')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('release_id', '=', releaseId)
    .where('fresh', '=', fresh)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes up to `limit` customers of a release. Returns the number of deleted customers. */
export const deleteReleaseCustomers = async (
  tx: Queries,
  releaseId: string,
  limit: number,
): Promise<number> => {
  const { numAffectedRows } = await sql`delete from release_customers where (release_id, fresh, customer) in (
    select release_id, fresh, customer from release_customers where release_id = ${releaseId} limit ${limit})`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0n)
}

/** Returns the next release, by ID, that has customers, or undefined if there is none. */
export const findNextCountedRelease = async (db: Queries, after: string): Promise<string | undefined> => {
  const { id } = await db
    .selectFrom('release_customers')
    .select((e) => e.fn.min<string | null>('release_id').as('id'))
    .where('release_id', '>', after)
    .executeTakeFirstOrThrow()
  return id ?? undefined
}
