/**
 * Rows of `changes`, and every statement on that table: what was done to many users, or removed, and what undoes it. A change that
 * adds many users takes several transactions; its users are invisible until one statement shows all of them, however many they are.
 */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ChangesTable } from '../../../database/schema/change-tables.ts'
import { idsOf, type OnlyProjects } from '../../projects/store/projects.ts'
import { isHiding } from './visible-users.ts'

export type ChangeRow = Selectable<ChangesTable>
export type NewChange = Insertable<ChangesTable>

/** Undefined when it is open and the customer has another that hides users. */
export const insertChange = async (tx: Queries, row: NewChange): Promise<number | undefined> => {
  const inserted = await tx
    .insertInto('changes')
    .values(row)
    .onConflict((on) => on.doNothing())
    .returning('seq')
    .executeTakeFirst()
  return inserted?.seq
}

/** Counts more users of a change; false when it has ended, is being undone or was, so that it must not go on. */
export const updateGrownChange = async (
  tx: Queries,
  seq: number,
  more: { readonly count: number; readonly now: number },
): Promise<boolean> => {
  const done = await tx
    .updateTable('changes')
    .set((e) => ({ count: e('count', '+', more.count), touched_at: more.now }))
    .where('seq', '=', seq)
    .where('state', 'in', ['open', 'done'])
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Shows the users of an open change, and lists it; false when it has ended. */
export const updateDoneChange = async (tx: Queries, seq: number): Promise<boolean> => {
  const done = await tx
    .updateTable('changes')
    .set({ state: 'done' })
    .where('seq', '=', seq)
    .where('state', '=', 'open')
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** The change of a customer that hides users. */
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
  /** Without progress since then. */
  | { readonly before: number }

/** Ends open changes, so that they add no more users. */
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

/** One that has ended, of any owner. */
export const findEndedChange = (db: Queries): Promise<ChangeRow | undefined> =>
  db
    .selectFrom('changes')
    .selectAll()
    .where(isHiding)
    .where('state', '=', 'ended')
    .limit(1)
    .executeTakeFirst()

/** Locks one that has ended; false when it is gone. */
export const lockEndedChange = async (tx: Queries, seq: number, now: number): Promise<boolean> => {
  const done = await tx
    .updateTable('changes')
    .set({ touched_at: now })
    .where('seq', '=', seq)
    .where('state', '=', 'ended')
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Its trash has to be deleted before, when it may have much. */
export const deleteChange = async (tx: Queries, seq: number): Promise<void> => {
  await tx.deleteFrom('changes').where('seq', '=', seq).execute()
}

export type ChangesOf = {
  readonly customerId: string
  readonly projectId?: string | undefined
  readonly only?: OnlyProjects
}

const listed = (db: Queries, { customerId, projectId, only }: ChangesOf) =>
  db
    .selectFrom('changes')
    .where('customer_id', '=', customerId)
    .where('state', 'in', ['done', 'undoing', 'undone'])
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId ?? ''))
    .$if(only !== undefined, (query) => query.where('project_id', 'in', idsOf(only)))

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

/** Begins to undo a change, or goes on where nobody has since a time; false when another request undoes it or has. */
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

/** Gives up undoing, so that it can be asked for again at once. */
export const updateReleasedChange = async (tx: Queries, seq: number, claim: string): Promise<void> => {
  await tx
    .updateTable('changes')
    .set({ touched_at: 0 })
    .where('seq', '=', seq)
    .where('claim', '=', claim)
    .execute()
}

export type UndoProgress = Pick<ChangeRow, 'restored' | 'skipped' | 'skipped_entries' | 'touched_at'>

/** False when another request has taken the undoing over. */
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

/** One that is older than `before`, or beyond what an account may keep. Never one whose users are hidden: its row hides them. */
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
