/** Rows of `idempotency_keys` and every statement on that table. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import type { IdempotencyKeysTable } from './tables.ts'

export type IdempotencyKeyRow = Selectable<IdempotencyKeysTable>
export type NewIdempotencyKey = Insertable<IdempotencyKeysTable>
export type IdempotencyKeyChanges = Updateable<IdempotencyKeysTable>

export const findIdempotencyKey = (
  db: Queries,
  customerId: string,
  key: string,
): Promise<IdempotencyKeyRow | undefined> =>
  db
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('key', '=', key)
    .executeTakeFirst()

/** False when the customer has used the key already; waits for a transaction that is about to use it. */
export const insertIdempotencyKey = async (tx: Queries, row: NewIdempotencyKey): Promise<boolean> => {
  const done = await tx
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export const updateIdempotencyKey = async (
  tx: Queries,
  customerId: string,
  key: string,
  changes: IdempotencyKeyChanges,
): Promise<void> => {
  await tx
    .updateTable('idempotency_keys')
    .set(changes)
    .where('customer_id', '=', customerId)
    .where('key', '=', key)
    .execute()
}

/** Only as long as it belongs to this claim. */
export const deleteIdempotencyKey = async (
  tx: Queries,
  customerId: string,
  key: string,
  claim: string,
): Promise<void> => {
  await tx
    .deleteFrom('idempotency_keys')
    .where('customer_id', '=', customerId)
    .where('key', '=', key)
    .where('claim', '=', claim)
    .execute()
}

/** At most `limit` of those that were used before this time; answers how many. */
export const deleteOldIdempotencyKeys = async (
  tx: Queries,
  before: number,
  limit: number,
): Promise<number> => {
  const old = tx
    .selectFrom('idempotency_keys')
    .select(['customer_id', 'key'])
    .where('created_at', '<', before)
    .limit(limit)
  const done = await tx
    .deleteFrom('idempotency_keys')
    .where((e) =>
      e(
        e.refTuple('customer_id', 'key'),
        'in',
        (dialectOf(tx).rowLocks ? old.modifyEnd(sql`for update skip locked`) : old).$asTuple(
          'customer_id',
          'key',
        ),
      ),
    )
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}
