/** All queries on the `waiting_api_keys` table. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { WaitingApiKeysTable } from '../../../database/schema/account-tables.ts'

export type WaitingApiKeyRow = Selectable<WaitingApiKeysTable>
export type NewWaitingApiKey = Insertable<WaitingApiKeysTable>

const MINUTE_MS = 60_000

/** Inserts a key to be emailed. Replaces the account's earlier undelivered key, which is no longer valid. */
export const insertWaitingApiKey = async (tx: Queries, row: NewWaitingApiKey): Promise<void> => {
  const { customer_id: _, ...rest } = row
  await tx
    .insertInto('waiting_api_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('customer_id').doUpdateSet({ ...rest, attempts: 0 }))
    .execute()
}

/**
 * Claims the key whose email has been due the longest. The same statement schedules the next attempt with a
 * growing backoff. Therefore, two processes never send the same email, and a crash only delays it.
 */
export const claimDueMail = async (tx: Queries, now: number): Promise<WaitingApiKeyRow | undefined> => {
  const due = tx
    .selectFrom('waiting_api_keys')
    .select('customer_id')
    .where('mail_at', '<=', now)
    .orderBy('mail_at')
    .limit(1)
  return tx
    .updateTable('waiting_api_keys')
    .set((e) => ({
      attempts: e('attempts', '+', 1),
      mail_at: sql<number>`cast(${now} as bigint) + ${sql.lit(MINUTE_MS)} * (attempts + 1) * (attempts + 1)`,
    }))
    .where('customer_id', 'in', skipLocked(due, tx))
    .returningAll()
    .executeTakeFirst()
}

/**
 * Deletes the account's undelivered key if it still has this hash. It may have been replaced in the meantime.
 */
export const deleteWaitingApiKey = async (
  tx: Queries,
  customerId: string,
  apiKeyHash?: string,
): Promise<boolean> => {
  const done = await tx
    .deleteFrom('waiting_api_keys')
    .where('customer_id', '=', customerId)
    .$if(apiKeyHash !== undefined, (query) => query.where('api_key_hash', '=', apiKeyHash ?? ''))
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Whether the account has an undelivered key. */
export const hasWaitingApiKey = async (db: Queries, customerId: string): Promise<boolean> => {
  const found = db.selectFrom('waiting_api_keys').select('customer_id').where('customer_id', '=', customerId)
  return (await found.executeTakeFirst()) !== undefined
}

/** Deletes the account's undelivered key and returns it. */
export const takeWaitingApiKey = (tx: Queries, customerId: string): Promise<WaitingApiKeyRow | undefined> =>
  tx.deleteFrom('waiting_api_keys').where('customer_id', '=', customerId).returningAll().executeTakeFirst()

export const countWaitingApiKeys = async (db: Queries): Promise<number> => {
  const counted = db.selectFrom('waiting_api_keys').select((e) => e.fn.countAll<number>().as('count'))
  return (await counted.executeTakeFirstOrThrow()).count
}

/** Deletes keys that were never delivered. Their owners need to reset the key anyway. */
export const deleteOldWaitingApiKeys = async (tx: Queries, before: number): Promise<number> => {
  const done = await tx.deleteFrom('waiting_api_keys').where('created_at', '<', before).executeTakeFirst()
  return Number(done.numDeletedRows)
}
