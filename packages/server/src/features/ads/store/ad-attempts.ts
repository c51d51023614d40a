/** All queries on the `ad_attempts` table (visits to providers). */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdAttemptsTable } from '../../../database/schema/ad-tables.ts'

export type AdAttemptRow = Selectable<AdAttemptsTable>
export type NewAdAttempt = Insertable<AdAttemptsTable>
export type AdAttemptChanges = Updateable<AdAttemptsTable>

const latest = prepared((db, p: { progress_id: string }) =>
  db
    .selectFrom('ad_attempts')
    .selectAll()
    .where('progress_id', '=', p.progress_id)
    .orderBy('seq', 'desc')
    .limit(1),
)
/** The latest visit in a visitor's progress, in any state. */
export const findLatestAdAttempt = (db: Queries, progressId: string): Promise<AdAttemptRow | null> =>
  latest.first(db, { progress_id: progressId })

const byClick = prepared((db, p: { click_id: string }) =>
  db.selectFrom('ad_attempts').selectAll().where('click_id', '=', p.click_id),
)
/**
 * Finds a visit by the provider's click ID. Searches all accounts, so the caller must check the checkpoint.
 */
export const findAdAttemptByClick = (db: Queries, clickId: string): Promise<AdAttemptRow | null> =>
  byClick.first(db, { click_id: clickId })

export const insertAdAttempt = (tx: Queries, row: NewAdAttempt): Promise<AdAttemptRow> =>
  tx.insertInto('ad_attempts').values(row).returningAll().executeTakeFirstOrThrow()

/** Returns undefined if the visit was deleted. */
export const updateAdAttempt = (
  tx: Queries,
  seq: number,
  changes: AdAttemptChanges,
): Promise<AdAttemptRow | undefined> =>
  tx.updateTable('ad_attempts').set(changes).where('seq', '=', seq).returningAll().executeTakeFirst()

/** Ends every open visit to a checkpoint that has changed. */
export const updateStaleAdAttempts = async (tx: Queries, checkpointId: string): Promise<number> => {
  const done = await tx
    .updateTable('ad_attempts')
    .set({ state: 'stale' })
    .where('checkpoint_id', '=', checkpointId)
    .where('state', 'in', ['out', 'checking', 'waiting'])
    .executeTakeFirst()
  return Number(done.numUpdatedRows)
}
