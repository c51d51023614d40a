/** All queries on the `ad_counts` table, and on the counters in the rows of systems and checkpoints. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AdCountsTable } from '../../../database/schema/ad-tables.ts'

export type AdCountRow = Selectable<AdCountsTable>

type Counted = Pick<AdCountRow, 'checkpoint_id' | 'kind' | 'value'>

const counted = prepared((db, p: Counted) =>
  db
    .insertInto('ad_counts')
    .columns(['checkpoint_id', 'kind', 'value', 'count'])
    .expression((e) =>
      e
        .selectFrom('ad_checkpoints')
        .select([
          'ad_checkpoints.id',
          sql<AdCountRow['kind']>`cast(${p.kind} as text)`.as('kind'),
          sql<string>`cast(${p.value} as text)`.as('value'),
          sql<number>`1`.as('count'),
        ])
        .where('ad_checkpoints.id', '=', p.checkpoint_id),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['checkpoint_id', 'kind', 'value'])
        .doUpdateSet((e) => ({ count: e('ad_counts.count', '+', 1) })),
    ),
)
/** Increments a counter. Returns false if the checkpoint was deleted. */
export const insertAdCount = async (tx: Queries, what: Counted): Promise<boolean> =>
  (await counted.count(tx, what)) > 0

/** The counters of all checkpoints in a system. */
export const listAdCounts = (db: Queries, systemId: string): Promise<AdCountRow[]> =>
  db
    .selectFrom('ad_counts')
    .innerJoin('ad_checkpoints', 'ad_checkpoints.id', 'ad_counts.checkpoint_id')
    .selectAll('ad_counts')
    .where('ad_checkpoints.system_id', '=', systemId)
    .orderBy('ad_counts.checkpoint_id')
    .orderBy('ad_counts.kind')
    .orderBy('ad_counts.count', 'desc')
    .orderBy('ad_counts.value')
    .execute()

const started = prepared((db, p: { id: string }) =>
  db
    .updateTable('ad_checkpoints')
    .set((e) => ({ total_started: e('total_started', '+', 1) }))
    .where('id', '=', p.id),
)
/** Counts a start. Returns false if the checkpoint was deleted. */
export const updateStartedAdCheckpoint = async (tx: Queries, id: string): Promise<boolean> =>
  (await started.count(tx, { id })) > 0

const completed = prepared((db, p: { id: string }) =>
  db
    .updateTable('ad_checkpoints')
    .set((e) => ({ total_completed: e('total_completed', '+', 1) }))
    .where('id', '=', p.id),
)
/** Counts a completion. Returns false if the checkpoint was deleted. */
export const updateCompletedAdCheckpoint = async (tx: Queries, id: string): Promise<boolean> =>
  (await completed.count(tx, { id })) > 0

const finished = prepared((db, p: { id: string; keys: number }) =>
  db
    .updateTable('ad_systems')
    .set((e) => ({
      total_completions: e('total_completions', '+', 1),
      total_keys: e('total_keys', '+', p.keys),
    }))
    .where('id', '=', p.id),
)
/** Counts a visitor who completed the system. `keys` is 1 for a new key and 0 for an extension. */
export const updateFinishedAdSystem = async (tx: Queries, id: string, keys: 0 | 1): Promise<void> => {
  await finished.count(tx, { id, keys })
}
