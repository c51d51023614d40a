/** All queries on the `idempotency_keys` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from './engine/db.ts'
import { deleteOldest } from './engine/delete-oldest.ts'
import type { IdempotencyKeysTable } from './schema/tables.ts'

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

/** Totals of an account, and `own` totals of one sender. Times are 0 if there are no keys. */
export type HeldIdempotencyKeys = {
  readonly count: number
  readonly bytes: number
  readonly oldest: number
  readonly own: number
  readonly ownOldest: number
}
type Holder = { readonly customerId: string; readonly sender: string }

/** Counts the keys that an account and one of its senders have stored since the given time. */
export const countIdempotencyKeys = async (
  db: Queries,
  { customerId, sender }: Holder,
  since: number,
): Promise<HeldIdempotencyKeys> => {
  const row = await db
    .selectFrom('idempotency_keys')
    .select((e) => [
      e.fn.countAll<number>().as('count'),
      e.fn.sum<number | null>('size').as('bytes'),
      e.fn.min('created_at').as('oldest'),
      e.fn.countAll<number>().filterWhere('sender', '=', sender).as('own'),
      e.fn.min('created_at').filterWhere('sender', '=', sender).as('own_oldest'),
    ])
    .where('customer_id', '=', customerId)
    .where('created_at', '>', since)
    .executeTakeFirst()
  return {
    count: Number(row?.count ?? 0),
    bytes: Number(row?.bytes ?? 0),
    oldest: row?.oldest ?? 0,
    own: Number(row?.own ?? 0),
    ownOldest: row?.own_oldest ?? 0,
  }
}

/** Returns false if the account has already used the key. Waits for a transaction that is using it. */
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

/** Deletes the key only if it still belongs to this claim. */
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

/** Deletes up to `limit` keys created before the given time and returns the number of deleted keys. */
export const deleteOldIdempotencyKeys = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'idempotency_keys',
    key: ['customer_id', 'key'],
    column: 'created_at',
    before,
    limit,
  })
