/** All queries on the `denials` table. */
import { type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { DenialsTable } from '../../../database/schema/tables.ts'

export type DenialRow = Selectable<DenialsTable>
export type NewDenial = Insertable<DenialsTable>

/** Selects a user's denials or, without a key, the project's denials for attempts without a valid key. */
export type DeniedOne = Pick<DenialRow, 'project_id' | 'user_key'>

/** Lists denials, newest first. */
export const listDenials = (db: Queries, denied: DeniedOne, limit: number): Promise<DenialRow[]> =>
  newestOf(db, denied).selectAll().limit(limit).execute()

/** Conditions for a project's denials. Times refer to the last repetition, and both are inclusive. */
export type DenialFilter = {
  readonly projectId: string
  readonly reason?: DenialRow['reason']
  readonly script_id?: string
  readonly executor?: string
  readonly user_key?: string
  readonly from?: number
  readonly to?: number
}
/** A denial's position in the list, newest first. */
export type DenialPlace = Pick<DenialRow, 'last_at' | 'seq'>
/** The range after a position, up to and including `end`, or up to the end of the list. */
export type DenialRange = { readonly after: DenialPlace | undefined; readonly end: DenialPlace | undefined }

/** Returns the position of the last of `size` denials after `after`, or undefined if there are fewer. */
export const findDenialScanEnd = (
  db: Queries,
  filter: DenialFilter,
  { after, size }: { readonly after: DenialPlace | undefined; readonly size: number },
): Promise<DenialPlace | undefined> =>
  selectRange(db, filter, { after, end: undefined })
    .select(['last_at', 'seq'])
    .offset(size - 1)
    .limit(1)
    .executeTakeFirst()

/** Lists the first `limit` matching denials in a range, newest first. */
export const listMatchingDenials = (
  db: Queries,
  filter: DenialFilter,
  { limit, ...stretch }: DenialRange & { readonly limit: number },
): Promise<DenialRow[]> => {
  const { reason, script_id, executor, user_key } = filter
  return Object.entries({ reason, script_id, executor, user_key })
    .filter(([, value]) => value !== undefined)
    .reduce(
      (query, [column, value]) => query.where(sql<SqlBool>`${sql.ref(column)} = ${value}`),
      selectRange(db, filter, stretch),
    )
    .selectAll()
    .limit(limit)
    .execute()
}

/** An executor whose users were denied because it reports no strong device component. */
export type ExecutorWithoutDevice = Pick<DenialRow, 'executor' | 'last_at'> & {
  readonly users: number
  readonly denials: number
}

/** Lists executors that report no strong device component, by number of affected users, highest first. */
export const listExecutorsWithoutDevice = (
  db: Queries,
  projectId: string,
  limit: number,
): Promise<ExecutorWithoutDevice[]> =>
  db
    .selectFrom('denials')
    .select((e) => [
      'executor',
      e.fn.count<number>('user_key').distinct().as('users'),
      e.fn.sum<number>('count').as('denials'),
      e.fn.max('last_at').as('last_at'),
    ])
    .where('project_id', '=', projectId)
    // This must be a literal, so that the query uses the partial index, which covers only this reason.
    .where('reason', '=', sql.lit('fingerprint_missing'))
    .groupBy('executor')
    .orderBy('users', 'desc')
    .orderBy('executor')
    .limit(limit)
    .execute()

export const insertDenial = async (tx: Queries, row: NewDenial): Promise<void> => {
  await tx.insertInto('denials').values(row).execute()
}

export type Repeat = Pick<DenialRow, 'seq' | 'left_out' | 'allowed_at' | 'last_at'>

/** Counts a repeated denial on its existing row. */
export const updateRepeatedDenial = async (tx: Queries, repeat: Repeat): Promise<void> => {
  const { seq, left_out, allowed_at, last_at } = repeat
  await tx
    .updateTable('denials')
    .set((e) => ({
      count: e('count', '+', 1),
      left_out: e('left_out', '+', left_out),
      allowed_at,
      last_at,
    }))
    .where('seq', '=', seq)
    .execute()
}

/** Deletes all but the latest `keep` denials, and returns the number of deleted denials. */
export const deleteSurplusDenials = async (tx: Queries, denied: DeniedOne, keep: number): Promise<number> => {
  const surplus = newestOf(tx, denied).select('seq').offset(keep).limit(ROWS_AT_ONCE)
  // Otherwise, a second process would wait for the rows that the first one deletes.
  const done = await tx.deleteFrom('denials').where('seq', 'in', skipLocked(surplus, tx)).executeTakeFirst()
  return Number(done.numDeletedRows)
}

/** Deletes up to `limit` denials last repeated before `before`, and returns their number. */
export const deleteOldDenials = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'denials', key: ['seq'], column: 'last_at', before, limit })

const ROWS_AT_ONCE = 500

function selectRange(db: Queries, { projectId, from, to }: DenialFilter, { after, end }: DenialRange) {
  return db
    .selectFrom('denials')
    .where('project_id', '=', projectId)
    .$if(from !== undefined, (query) => query.where('last_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('last_at', '<=', to ?? 0))
    .$if(after !== undefined, (query) => query.where(isBeside('<', after)))
    .$if(end !== undefined, (query) => query.where(isBeside('>=', end)))
    .orderBy('last_at', 'desc')
    .orderBy('seq', 'desc')
}

function isBeside(operator: '<' | '>=', place: DenialPlace | undefined): RawBuilder<SqlBool> {
  return sql`(last_at, seq) ${sql.raw(operator)} (${place?.last_at}, ${place?.seq})`
}

function newestOf(db: Queries, { project_id, user_key }: DeniedOne) {
  const denials = db.selectFrom('denials').orderBy('seq', 'desc').where('project_id', '=', project_id)
  return user_key === null ? denials.where('user_key', 'is', null) : denials.where('user_key', '=', user_key)
}
