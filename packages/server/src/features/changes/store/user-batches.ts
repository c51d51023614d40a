/**
 * Rows of `user_batches` and every statement on that table. A batch adds many users in several transactions. They are
 * invisible while its row exists: deleting the row shows all of them at once, however many there are.
 */
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { UserBatchesTable } from '../../../database/schema/tables.ts'

export type UserBatchRow = Selectable<UserBatchesTable>
type Batch = Pick<UserBatchRow, 'seq' | 'project_id' | 'after_seq'>

/**
 * Whether a user is there for readers: no batch is still adding them. `users` is the name of the table in the statement.
 * Reads that decide whether a key or a chat id is free leave it out, so that two transactions cannot take the same one.
 */
export const isVisible = (users = 'users'): RawBuilder<SqlBool> =>
  sql`not exists (select 1 from user_batches where user_batches.seq = ${sql.ref(`${users}.batch`)})`

/** Undefined when the customer has a batch already. */
export const insertUserBatch = async (
  tx: Queries,
  owner: Pick<UserBatchRow, 'customer_id' | 'project_id' | 'touched_at'>,
): Promise<UserBatchRow | undefined> =>
  tx
    .insertInto('user_batches')
    .columns(['customer_id', 'project_id', 'touched_at', 'after_seq'])
    .expression((e) =>
      e
        .selectFrom('users')
        .select((s) => [
          s.val(owner.customer_id).as('customer_id'),
          s.val(owner.project_id).as('project_id'),
          sql<number>`cast(${owner.touched_at} as bigint)`.as('touched_at'),
          s.fn.coalesce(s.fn.max<number>('seq'), s.lit(0)).as('after_seq'),
        ])
        .where(sql<boolean>`true`),
    )
    .onConflict((on) => on.column('customer_id').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findUserBatch = (db: Queries, customerId: string): Promise<UserBatchRow | undefined> =>
  db.selectFrom('user_batches').selectAll().where('customer_id', '=', customerId).executeTakeFirst()

/** False when the batch was ended or its project deleted, so that it must not go on. */
export const updateTouchedBatch = async (tx: Queries, seq: number, now: number): Promise<boolean> => {
  const done = await tx
    .updateTable('user_batches')
    .set({ touched_at: now })
    .where('seq', '=', seq)
    .where('ended', '=', 0)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Shows the users of a batch; false as for `updateTouchedBatch`. */
export const deleteCompleteBatch = async (tx: Queries, seq: number): Promise<boolean> => {
  const done = await tx
    .deleteFrom('user_batches')
    .where('seq', '=', seq)
    .where('ended', '=', 0)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Ends one that adds no more. */
export const updateEndedBatch = async (tx: Queries, seq: number): Promise<void> => {
  await tx.updateTable('user_batches').set({ ended: 1 }).where('seq', '=', seq).execute()
}

/** Ends those without progress since a time, of all owners. */
export const updateStaleBatches = async (tx: Queries, before: number): Promise<void> => {
  await tx.updateTable('user_batches').set({ ended: 1 }).where('touched_at', '<', before).execute()
}

/** One that has ended, of any owner. */
export const findEndedBatch = (db: Queries): Promise<UserBatchRow | undefined> =>
  db.selectFrom('user_batches').selectAll().where('ended', '=', 1).limit(1).executeTakeFirst()

/**
 * Deletes up to `limit` users of a batch that has ended, and the batch with the last of them. Returns how many users it
 * deleted. A row that another transaction has locked is left to it.
 */
export const deleteBatchUsers = async (
  tx: Queries,
  { seq, project_id, after_seq }: Batch,
  limit: number,
): Promise<number> => {
  const added = tx
    .selectFrom('users')
    .select('seq')
    .where('project_id', '=', project_id)
    .where('seq', '>', after_seq)
    .where('batch', '=', seq)
    .limit(limit)
  const done = await tx.deleteFrom('users').where('seq', 'in', skipLocked(added, tx)).executeTakeFirst()
  if (done.numDeletedRows === 0n) await deleteEmptyBatch(tx, seq)
  return Number(done.numDeletedRows)
}

/** Only when none of its users is left, whom another transaction may have locked. */
async function deleteEmptyBatch(tx: Queries, seq: number): Promise<void> {
  await tx
    .deleteFrom('user_batches')
    .where('seq', '=', seq)
    .where('ended', '=', 1)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('users')
            .select('users.seq')
            .whereRef('users.project_id', '=', 'user_batches.project_id')
            .whereRef('users.seq', '>', 'user_batches.after_seq')
            .where('users.batch', '=', seq),
        ),
      ),
    )
    .execute()
}
