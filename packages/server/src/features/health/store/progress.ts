/** The row of `health_progress`, and the log rows that have not been counted yet. */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'

/** Returns whether the next row to count was written at or before `before`. */
export const hasUncounted = async (db: Queries, before: number): Promise<boolean> => {
  const next = await db
    .selectFrom('execution_log')
    .select('at')
    .where('seq', '>', (e) => e.fn.coalesce(e.selectFrom('health_progress').select('counted'), e.lit(0)))
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return next !== undefined && next.at <= before
}

/** Locks the row, so that two processes never count the same rows. */
export const lockProgress = async (tx: Queries): Promise<number> => {
  await sql`insert into health_progress (id, counted) values (1, 0) on conflict do nothing`.execute(tx)
  const lock = dialectOf(tx).rowLocks ? sql`for update` : sql``
  const { rows } = await sql<{ counted: number }>`select counted from health_progress ${lock}`.execute(tx)
  return rows[0]?.counted ?? 0
}

export const updateProgress = async (tx: Queries, counted: number): Promise<void> => {
  await tx.updateTable('health_progress').set({ counted }).execute()
}

/**
 * Lists log rows in the order they were written. For runs that have not ended, includes the
 * `instances` columns. Also includes the user columns that determine the channel.
 */
export const listUncounted = (tx: Queries, after: number, limit: number) =>
  tx
    .selectFrom('execution_log as l')
    .leftJoin('instances as i', (join) => join.onRef('i.exec', '=', 'l.exec').on('l.ending', 'is', null))
    .leftJoin('users as u', 'u.key', 'l.user_key')
    .select([
      'l.seq',
      'l.at',
      'l.project_id',
      'l.script_id',
      'l.script_version',
      'l.executor',
      'l.outcome',
      'l.ending',
    ])
    .select([
      'l.user_key',
      'l.device',
      'l.exec',
      'l.reason',
      'i.granted_at',
      'i.last_seen',
      'i.expires_at',
      'i.kick',
      'u.tags',
      'u.plan_id',
    ])
    .where('l.seq', '>', after)
    .orderBy('l.seq')
    .limit(limit)
    .execute()
export type UncountedRow = Awaited<ReturnType<typeof listUncounted>>[number]
