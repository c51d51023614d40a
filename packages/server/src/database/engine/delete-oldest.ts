/** Deletes rows past their retention period. */
import { sql } from 'kysely'
import type { Tables } from '../schema/tables.ts'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'

export type OldRows<T extends keyof Tables> = {
  readonly table: T
  /** The columns of the primary key. */
  readonly key: readonly (keyof Tables[T] & string)[]
  /** The indexed column with the time that determines a row's age. */
  readonly column: keyof Tables[T] & string
  readonly before: number
  readonly limit: number
}

/**
 * Deletes up to `limit` rows whose `column` is below `before`, oldest first, and returns the number of
 * deleted rows. Skips locked rows.
 */
export async function deleteOldest<T extends keyof Tables>(
  tx: Queries,
  { table, key, column, before, limit }: OldRows<T>,
): Promise<number> {
  const columns = sql.join(key.map((name) => sql.ref(name)))
  const skipLocked = dialectOf(tx).rowLocks ? sql`for update skip locked` : sql``
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (
    select ${columns} from ${sql.table(table)} where ${sql.ref(column)} < ${before}
    order by ${sql.ref(column)} limit ${limit} ${skipLocked})`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}
