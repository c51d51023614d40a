/** All queries on the `waiting_mails` table. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { WaitingMailsTable } from '../../../database/schema/access-tables.ts'

export type WaitingMailRow = Selectable<WaitingMailsTable>

const MINUTE_MS = 60_000

export const insertWaitingMail = async (tx: Queries, row: Insertable<WaitingMailsTable>): Promise<void> => {
  await tx.insertInto('waiting_mails').values(row).execute()
}

/**
 * Claims the email that has been due the longest. The same statement schedules the next attempt with a
 * growing backoff. Therefore, two processes never send the same email, and a crash only delays it.
 */
export const claimWaitingMail = (tx: Queries, now: number): Promise<WaitingMailRow | undefined> => {
  const due = tx
    .selectFrom('waiting_mails')
    .select('seq')
    .where('mail_at', '<=', now)
    .orderBy('mail_at')
    .limit(1)
  return tx
    .updateTable('waiting_mails')
    .set((e) => ({
      attempts: e('attempts', '+', 1),
      mail_at: sql<number>`cast(${now} as bigint) + ${sql.lit(MINUTE_MS)} * (attempts + 1) * (attempts + 1)`,
    }))
    .where('seq', 'in', skipLocked(due, tx))
    .returningAll()
    .executeTakeFirst()
}

export const countWaitingMails = async (db: Queries): Promise<number> => {
  const counted = db.selectFrom('waiting_mails').select((e) => e.fn.countAll<number>().as('count'))
  return (await counted.executeTakeFirstOrThrow()).count
}

export const deleteWaitingMail = async (tx: Queries, id: string): Promise<void> => {
  await tx.deleteFrom('waiting_mails').where('id', '=', id).execute()
}

export const deleteOldWaitingMails = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'waiting_mails', key: ['seq'], column: 'created_at', before, limit })
