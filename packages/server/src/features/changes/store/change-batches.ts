/** Rows of `change_batches`, what can be undone, and every statement on that table. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ChangeBatchesTable } from '../../../database/schema/trash-tables.ts'
import { idsOf, type OnlyProjects } from '../../projects/store/projects.ts'

export type ChangeBatchRow = Selectable<ChangeBatchesTable>
export type NewChangeBatch = Insertable<ChangeBatchesTable>

export const insertChangeBatch = async (tx: Queries, row: NewChangeBatch): Promise<number> =>
  (await tx.insertInto('change_batches').values(row).returning('seq').executeTakeFirstOrThrow()).seq

/** Counts more changes of a batch; false when it is being undone or was, so that it must not go on. */
export const updateGrownBatch = async (
  tx: Queries,
  seq: number,
  more: { readonly count: number; readonly now: number },
): Promise<boolean> => {
  const done = await tx
    .updateTable('change_batches')
    .set((e) => ({ count: e('count', '+', more.count), touched_at: more.now }))
    .where('seq', '=', seq)
    .where('state', 'in', ['open', 'done'])
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Shows an open batch in lists. */
export const updateOpenBatch = async (tx: Queries, seq: number): Promise<void> => {
  await tx
    .updateTable('change_batches')
    .set({ state: 'done' })
    .where('seq', '=', seq)
    .where('state', '=', 'open')
    .execute()
}

/** Its trash has to be deleted before, when it may have much. */
export const deleteChangeBatch = async (tx: Queries, seq: number): Promise<void> => {
  await tx.deleteFrom('change_batches').where('seq', '=', seq).execute()
}

export type BatchesOf = {
  readonly customerId: string
  readonly projectId?: string | undefined
  readonly only?: OnlyProjects
}

const listed = (db: Queries, { customerId, projectId, only }: BatchesOf) =>
  db
    .selectFrom('change_batches')
    .where('customer_id', '=', customerId)
    .where('state', '<>', 'open')
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId ?? ''))
    .$if(only !== undefined, (query) => query.where('project_id', 'in', idsOf(only)))

export const listChangeBatches = (
  db: Queries,
  of: BatchesOf,
  { from, limit, after }: KeysetRange,
): Promise<ChangeBatchRow[]> => {
  const { beyond, start, direction } = keysetOrder({ after, order: 'newest' })
  return listed(db, of)
    .selectAll()
    .where('seq', beyond, start)
    .orderBy('seq', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

export const countChangeBatches = async (db: Queries, of: BatchesOf): Promise<number> => {
  const counted = listed(db, of).select((e) => e.fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

export const findChangeBatch = (
  db: Queries,
  customerId: string,
  id: string,
): Promise<ChangeBatchRow | undefined> =>
  listed(db, { customerId }).selectAll().where('id', '=', id).executeTakeFirst()

/** Begins to undo a batch, or goes on where nobody has since a time; false when another request undoes it or has. */
export const updateClaimedBatch = async (
  tx: Queries,
  seq: number,
  { claim, now, before }: { readonly claim: string; readonly now: number; readonly before: number },
): Promise<boolean> => {
  const done = await tx
    .updateTable('change_batches')
    .set({ state: 'undoing', claim, touched_at: now })
    .where('seq', '=', seq)
    .where((e) =>
      e.or([e('state', '=', 'done'), e.and([e('state', '=', 'undoing'), e('touched_at', '<', before)])]),
    )
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Gives up undoing, so that it can be asked for again at once. */
export const updateReleasedBatch = async (tx: Queries, seq: number, claim: string): Promise<void> => {
  await tx
    .updateTable('change_batches')
    .set({ touched_at: 0 })
    .where('seq', '=', seq)
    .where('claim', '=', claim)
    .execute()
}

export type UndoProgress = Pick<ChangeBatchRow, 'restored' | 'skipped' | 'skipped_entries' | 'touched_at'>

/** False when another request has taken the undoing over. */
export const updateUndoProgress = async (
  tx: Queries,
  seq: number,
  claim: string,
  progress: UndoProgress,
): Promise<boolean> => {
  const done = await tx
    .updateTable('change_batches')
    .set(progress)
    .where('seq', '=', seq)
    .where('claim', '=', claim)
    .where('state', '=', 'undoing')
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

export const updateUndoneBatch = async (
  tx: Queries,
  seq: number,
  claim: string,
  undone: { readonly undone_at: number; readonly undone_by: string },
): Promise<void> => {
  await tx
    .updateTable('change_batches')
    .set({ ...undone, state: 'undone' })
    .where('seq', '=', seq)
    .where('claim', '=', claim)
    .execute()
}

/** One that is older than `before`, or still open without progress since `stale`, or beyond what an account may keep. */
export const findBatchToEmpty = async (
  db: Queries,
  { before, stale, most }: { readonly before: number; readonly stale: number; readonly most: number },
): Promise<number | undefined> => {
  const { rows } = await sql<{ seq: number }>`select seq from (
      select seq, created_at, touched_at, state,
        sum(count) over (partition by customer_id order by seq desc) - count as newer
      from change_batches) as b
    where b.created_at < ${before} or (b.state = 'open' and b.touched_at < ${stale}) or b.newer > ${most}
    order by b.seq limit 1`.execute(db)
  return rows[0]?.seq
}
