/** Rows of `waiting_api_keys` and every statement on that table. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import type { WaitingApiKeysTable } from './tables.ts'

export type WaitingApiKeyRow = Selectable<WaitingApiKeysTable>
export type NewWaitingApiKey = Insertable<WaitingApiKeysTable>
export type WaitingApiKeyChanges = Updateable<WaitingApiKeysTable>

const MINUTE_MS = 60_000

/** Takes the place of the key that waited for the same customer, which is worth nothing any more. */
export const insertWaitingApiKey = async (tx: Queries, row: NewWaitingApiKey): Promise<void> => {
  const { customer_id: _, ...rest } = row
  await tx
    .insertInto('waiting_api_keys')
    .values(row)
    .onConflict((conflict) => conflict.column('customer_id').doUpdateSet({ ...rest, attempts: 0 }))
    .execute()
}

/**
 * The key whose mail is due longest. The same call puts the next try off, each time
 * further, so that no two processes send one mail and a crash in between costs a pause and not the key.
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
    .where('customer_id', 'in', dialectOf(tx).rowLocks ? due.modifyEnd(sql`for update skip locked`) : due)
    .returningAll()
    .executeTakeFirst()
}

/** Of this customer, and of the key with this hash alone: another may have come to wait meanwhile. */
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

/** Those that nobody took; their owners need another one anyway. */
export const deleteOldWaitingApiKeys = async (tx: Queries, before: number): Promise<number> => {
  const done = await tx.deleteFrom('waiting_api_keys').where('created_at', '<', before).executeTakeFirst()
  return Number(done.numDeletedRows)
}
