/**
 * All queries on the `changes` table. A change is a bulk change or removal that can be undone. A change that
 * adds many users takes several transactions. Its users stay hidden until a single statement makes them all
 * visible.
 */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ChangesTable } from '../../../database/schema/change-tables.ts'
import { idsOf, type OnlyProjects } from '../../projects/store/projects.ts'
import { isHiding } from './visible-users.ts'

export type ChangeRow = Selectable<ChangesTable>
export type NewChange = Insertable<ChangesTable>

/** Returns undefined if the change is open and another change of the account already hides users. */
export const insertChange = async (tx: Queries, row: NewChange): Promise<number | undefined> => {
  const inserted = await tx
    .insertInto('changes')
    .values(row)
    .onConflict((on) => on.doNothing())
    .returning('seq')
    .executeTakeFirst()
  return inserted?.seq
}

/**
 * Adds to a change's count and returns the new count. Returns undefined if the change has ended or was
 * undone, in which case the caller must stop.
 */
export const updateGrownChange = async (
  tx: Queries,
  seq: number,
  more: { readonly count: number; readonly now: number },
): Promise<number | undefined> => {
  const done = await tx
    .updateTable('changes')
    .set((e) => ({ count: e('count', '+', more.count), touched_at: more.now }))
    .where('seq', '=', seq)
    .where('state', 'in', ['open', 'done'])
    .returning('count')
    .executeTakeFirst()
  return done?.count
}

export const updateSamples = async (tx: Queries, seq: number, samples: string): Promise<void> => {
  await tx.updateTable('changes').set({ samples }).where('seq', '=', seq).execute()
}

/** Makes an open change's users visible and lists the change. Returns false if the change has ended. */
export const updateDoneChange = async (tx: Queries, seq: number): Promise<boolean> => {
  const done = await tx
    .updateTable('changes')
    .set({ state: 'done' })
    .where('seq', '=', seq)
    .where('state', '=', 'open')
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Finds the change that hides users of this account. */
export const findHidingChange = (db: Queries, customerId: string): Promise<ChangeRow | undefined> =>
  db
    .selectFrom('changes')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where(isHiding)
    .executeTakeFirst()

type Open =
  | { readonly seq: number }
  | { readonly projectId: string }
  /** Matches only changes that have made no progress since this time. */
  | { readonly before: number }

/** Ends open changes, so that they can't add any more users. */
export const updateEndedChanges = async (tx: Queries, open: Open): Promise<void> => {
  await tx
    .updateTable('changes')
    .set({ state: 'ended' })
    .where('state', '=', 'open')
    .$if('seq' in open, (query) => query.where('seq', '=', 'seq' in open ? open.seq : 0))
    .$if('projectId' in open, (query) =>
      query.where('project_id', '=', 'projectId' in open ? open.projectId : ''),
    )
    .$if('before' in open, (query) => query.where('touched_at', '<', 'before' in open ? open.before : 0))
    .execute()
}

/** Finds an ended change of any account. */
export const findEndedChange = (db: Queries): Promise<ChangeRow | undefined> =>
  db
    .selectFrom('changes')
    .selectAll()
    .where(isHiding)
    .where('state', '=', 'ended')
    .limit(1)
    .executeTakeFirst()

/** Locks an ended change. Returns false if it no longer exists. */
export const lockEndedChange = async (tx: Queries, seq: number, now: number): Promise<boolean> => {
  const done = await tx
    .updateTable('changes')
    .set({ touched_at: now })
    .where('seq', '=', seq)
    .where('state', '=', 'ended')
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Deletes a change. Delete its trash first, in slices, because it may be large. */
export const deleteChange = async (tx: Queries, seq: number): Promise<void> => {
  await tx.deleteFrom('changes').where('seq', '=', seq).execute()
}

export type ChangesOf = {
  readonly customerId: string
  readonly projectId?: string | undefined
  readonly only?: OnlyProjects
  /** If set, only undoable changes that affected this user are included. */
  readonly userKey?: string | undefined
}

const listed = (db: Queries, { customerId, projectId, only, userKey }: ChangesOf) =>
  db
    .selectFrom('changes')
    .where('customer_id', '=', customerId)
    .where('state', 'in', ['done', 'undoing', 'undone'])
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId ?? ''))
    .$if(only !== undefined, (query) => query.where('project_id', 'in', idsOf(only)))
    .$if(userKey !== undefined, (query) =>
      query.where('seq', 'in', (e) =>
        e
          .selectFrom('trash')
          .select('change')
          .where('user_key', '=', userKey ?? ''),
      ),
    )

export const listChanges = (
  db: Queries,
  of: ChangesOf,
  { from, limit, after }: KeysetRange,
): Promise<ChangeRow[]> => {
  const { beyond, start, direction } = keysetOrder({ after, order: 'newest' })
  return listed(db, of)
    .selectAll()
    .where('seq', beyond, start)
    .orderBy('seq', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

export const countChanges = async (db: Queries, of: ChangesOf): Promise<number> => {
  const counted = listed(db, of).select((e) => e.fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

export const findChange = (db: Queries, customerId: string, id: string): Promise<ChangeRow | undefined> =>
  listed(db, { customerId }).selectAll().where('id', '=', id).executeTakeFirst()

/**
 * Claims the undo of a change, or takes over one that has made no progress since `before`. Returns false if
 * another request has claimed it.
 */
export const updateClaimedChange = async (
  tx: Queries,
  seq: number,
  { claim, now, before }: { readonly claim: string; readonly now: number; readonly before: number },
): Promise<boolean> => {
  const done = await tx
    .updateTable('changes')
    .set({ state: 'undoing', claim, touched_at: now })
    .where('seq', '=', seq)
    .where((e) =>
      e.or([e('state', '=', 'done'), e.and([e('state', '=', 'undoing'), e('touched_at', '<', before)])]),
    )
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Releases the claim, so that the undo can be requested again immediately. */
export const updateReleasedChange = async (tx: Queries, seq: number, claim: string): Promise<void> => {
  await tx
    .updateTable('changes')
    .set({ touched_at: 0 })
    .where('seq', '=', seq)
    .where('claim', '=', claim)
    .execute()
}

export type UndoProgress = Pick<ChangeRow, 'restored' | 'skipped' | 'skipped_entries' | 'touched_at'>

/** Returns false if another request has taken over the undo. */
export const updateUndoProgress = async (
  tx: Queries,
  seq: number,
  claim: string,
  progress: UndoProgress,
): Promise<boolean> => {
  const done = await tx
    .updateTable('changes')
    .set(progress)
    .where('seq', '=', seq)
    .where('claim', '=', claim)
    .where('state', '=', 'undoing')
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

export const updateUndoneChange = async (
  tx: Queries,
  seq: number,
  claim: string,
  undone: { readonly undone_at: number; readonly undone_by: string },
): Promise<void> => {
  await tx
    .updateTable('changes')
    .set({ ...undone, state: 'undone' })
    .where('seq', '=', seq)
    .where('claim', '=', claim)
    .execute()
}

/**
 * Finds a change that is older than `before` or exceeds the account's limit. Skips changes that hide users,
 * because deleting such a row would make the users visible again.
 */
export const findChangeToEmpty = async (
  db: Queries,
  { before, most }: { readonly before: number; readonly most: number },
): Promise<number | undefined> => {
  const { rows } = await sql<{ seq: number }>`select seq from (
      select seq, created_at, state,
        sum(count) over (partition by customer_id order by seq desc) - count as newer
      from changes) as c
    where (c.created_at < ${before} or c.newer > ${most}) and not (${isHiding})
    order by c.seq limit 1`.execute(db)
  return rows[0]?.seq
}
