/** All queries on the rows that belong to an error group: counts, customers, runs and samples. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import type { ErrorCountsTable, ErrorSamplesTable } from '../../../database/schema/error-tables.ts'

export type ErrorCountRow = Selectable<ErrorCountsTable>
export type ErrorSampleRow = Selectable<ErrorSamplesTable>
export type NewErrorSample = Insertable<ErrorSamplesTable>
type Occurred = { readonly occurrences: number; readonly last_at: number }

/** Lists the counts of an error, highest first. */
export const listErrorCounts = (db: Queries, errorId: string): Promise<ErrorCountRow[]> =>
  db
    .selectFrom('error_counts')
    .selectAll()
    .where('error_id', '=', errorId)
    .orderBy('occurrences', 'desc')
    .orderBy('value', 'desc')
    .execute()

export const addErrorCounts = async (tx: Queries, rows: readonly ErrorCountRow[]): Promise<void> => {
  await tx
    .insertInto('error_counts')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['error_id', 'dimension', 'value']).doUpdateSet({
        occurrences: sql<number>`error_counts.occurrences + excluded.occurrences`,
      }),
    )
    .execute()
}

/** Deletes the counts for days before `day`. */
export const deleteOldErrorDays = async (tx: Queries, errorId: string, day: string): Promise<void> => {
  await tx
    .deleteFrom('error_counts')
    .where('error_id', '=', errorId)
    .where('dimension', '=', 'day')
    .where('value', '<', day)
    .execute()
}

/** Counts the given runs unless they have been counted before, and returns the newly counted runs. */
export const addErrorRuns = async (
  tx: Queries,
  errorId: string,
  runs: readonly { readonly exec: string; readonly last_at: number }[],
): Promise<Set<string>> => {
  const added = await tx
    .insertInto('error_runs')
    .values(runs.map((run) => ({ error_id: errorId, ...run })))
    .onConflict((conflict) => conflict.columns(['error_id', 'exec']).doNothing())
    .returning('exec')
    .execute()
  return new Set(added.map(({ exec }) => exec))
}

/** Adds each key's occurrences, and returns how many keys are new. */
export const addErrorUsers = async (
  tx: Queries,
  errorId: string,
  users: readonly (Occurred & { readonly user_key: string })[],
): Promise<number> => {
  const known = await tx
    .selectFrom('error_users')
    .select('user_key')
    .where('error_id', '=', errorId)
    .where(
      'user_key',
      'in',
      users.map(({ user_key }) => user_key),
    )
    .execute()
  await tx
    .insertInto('error_users')
    .values(users.map((user) => ({ error_id: errorId, ...user })))
    .onConflict((conflict) =>
      conflict.columns(['error_id', 'user_key']).doUpdateSet({
        occurrences: sql<number>`error_users.occurrences + excluded.occurrences`,
        last_at: sql<number>`excluded.last_at`,
      }),
    )
    .execute()
  return users.length - known.length
}

export type AffectedUser = Occurred & {
  readonly user_key: string
  readonly chat_id: string | null
  readonly note: string | null
}

type OfError = { readonly id: string; readonly project_id: string }

/** Lists users that still exist, most recent report first. */
export const listErrorUsers = (
  db: Queries,
  { id, project_id }: OfError,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<AffectedUser[]> =>
  affected(db, id, project_id)
    .select(['users.key as user_key', 'users.chat_id', 'users.note'])
    .select(['error_users.occurrences', 'error_users.last_at'])
    .orderBy('error_users.last_at', 'desc')
    .orderBy('error_users.user_key')
    .limit(limit)
    .offset(from)
    .execute()

/** Lists keys that still exist, most recent report first. */
export const listErrorKeys = async (
  db: Queries,
  { id, project_id }: OfError,
  limit: number,
): Promise<string[]> => {
  const query = affected(db, id, project_id).select('users.key').orderBy('error_users.last_at', 'desc')
  return (await query.limit(limit).execute()).map(({ key }) => key)
}

/** Counts keys that still exist, up to `limit`. */
export const countErrorKeys = async (
  db: Queries,
  { id, project_id }: OfError,
  limit: number,
): Promise<number> => {
  const { count } = await db
    .selectFrom(affected(db, id, project_id).select('users.key').limit(limit).as('some'))
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const affected = (db: Queries, errorId: string, projectId: string) =>
  db
    .selectFrom('error_users')
    .innerJoin('users', 'users.key', 'error_users.user_key')
    .where('error_users.error_id', '=', errorId)
    .where('users.project_id', '=', projectId)

/** Lists the samples of an error, newest first. */
export const listErrorSamples = (db: Queries, errorId: string): Promise<ErrorSampleRow[]> =>
  db.selectFrom('error_samples').selectAll().where('error_id', '=', errorId).orderBy('seq', 'desc').execute()

/** Adds samples, oldest first, and deletes all but the latest `keep`. */
export const addErrorSamples = async (
  tx: Queries,
  errorId: string,
  rows: readonly NewErrorSample[],
  keep: number,
): Promise<void> => {
  await tx.insertInto('error_samples').values(rows).execute()
  const last = await tx
    .selectFrom('error_samples')
    .select('seq')
    .where('error_id', '=', errorId)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(keep)
    .executeTakeFirst()
  if (last === undefined) return
  await tx.deleteFrom('error_samples').where('error_id', '=', errorId).where('seq', '<=', last.seq).execute()
}

/** Deletes up to `limit` runs whose last report was before `before`, and returns their number. */
export const deleteOldErrorRuns = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'error_runs', key: ['error_id', 'exec'], column: 'last_at', before, limit })
