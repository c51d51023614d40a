/**
 * All queries on the `ad_checkpoint_days` and `ad_system_days` tables: daily visits to ad systems, keyed by
 * the number of days since 1970 in UTC.
 */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdCheckpointDaysTable, AdSystemDaysTable } from '../../../database/schema/ad-tables.ts'

export type AdCheckpointDay = Selectable<AdCheckpointDaysTable>
export type AdSystemDay = Selectable<AdSystemDaysTable>

const ofCheckpoint = prepared((db, p: AdCheckpointDay) =>
  db
    .insertInto('ad_checkpoint_days')
    .values({
      checkpoint_id: p.checkpoint_id,
      day: p.day,
      started: p.started,
      completed: p.completed,
      refused: p.refused,
      bypassed: p.bypassed,
    })
    .onConflict((on) =>
      on.columns(['checkpoint_id', 'day']).doUpdateSet((e) => ({
        started: e('ad_checkpoint_days.started', '+', e.ref('excluded.started')),
        completed: e('ad_checkpoint_days.completed', '+', e.ref('excluded.completed')),
        refused: e('ad_checkpoint_days.refused', '+', e.ref('excluded.refused')),
        bypassed: e('ad_checkpoint_days.bypassed', '+', e.ref('excluded.bypassed')),
      })),
    ),
)
/** Adds to a day's counts for a checkpoint. The transaction must prevent the deletion of the checkpoint. */
export const addAdCheckpointDay = async (tx: Queries, row: AdCheckpointDay): Promise<void> => {
  await ofCheckpoint.count(tx, row)
}

const ofSystem = prepared((db, p: AdSystemDay) =>
  db
    .insertInto('ad_system_days')
    .values({ system_id: p.system_id, day: p.day, completions: p.completions, keys: p.keys })
    .onConflict((on) =>
      on.columns(['system_id', 'day']).doUpdateSet((e) => ({
        completions: e('ad_system_days.completions', '+', e.ref('excluded.completions')),
        keys: e('ad_system_days.keys', '+', e.ref('excluded.keys')),
      })),
    ),
)
/** Adds to a day's counts for a system. The transaction must prevent the deletion of the system. */
export const addAdSystemDay = async (tx: Queries, row: AdSystemDay): Promise<void> => {
  await ofSystem.count(tx, row)
}

/** An inclusive range of days. */
export type Days = { readonly first: number; readonly last: number }

/** Daily counts for a system's checkpoints, in checkpoint order. Days without visitors are omitted. */
export const listAdCheckpointDays = (
  db: Queries,
  systemId: string,
  { first, last }: Days,
): Promise<(AdCheckpointDay & { provider: string })[]> =>
  db
    .selectFrom('ad_checkpoint_days')
    .innerJoin('ad_checkpoints', 'ad_checkpoints.id', 'ad_checkpoint_days.checkpoint_id')
    .selectAll('ad_checkpoint_days')
    .select('ad_checkpoints.provider')
    .where('ad_checkpoints.system_id', '=', systemId)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .orderBy('day')
    .orderBy('ad_checkpoints.index')
    .execute()

/** Omits days on which no visitor completed the system. */
export const listAdSystemDays = (
  db: Queries,
  systemId: string,
  { first, last }: Days,
): Promise<AdSystemDay[]> =>
  db
    .selectFrom('ad_system_days')
    .selectAll()
    .where('system_id', '=', systemId)
    .where('day', '>=', first)
    .where('day', '<=', last)
    .execute()

/** Deletes up to `limit` rows for days before `before`, and returns their number. */
export const deleteOldAdCheckpointDays = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'ad_checkpoint_days',
    key: ['checkpoint_id', 'day'],
    column: 'day',
    before,
    limit,
  })

/** Deletes up to `limit` rows for days before `before`, and returns their number. */
export const deleteOldAdSystemDays = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'ad_system_days', key: ['system_id', 'day'], column: 'day', before, limit })
