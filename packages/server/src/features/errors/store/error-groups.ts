/** All queries on the `error_groups` table. */
import { type Insertable, type Selectable, type SqlBool, sql, type Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { dialectOf, forUpdate, skipLocked } from '../../../database/engine/dialect.ts'
import type { ErrorGroupsTable } from '../../../database/schema/error-tables.ts'
import type { ScriptsTable } from '../../../database/schema/tables.ts'

export type ErrorGroupRow = Selectable<ErrorGroupsTable>
export type NewErrorGroup = Insertable<ErrorGroupsTable>
export type ErrorGroupChanges = Updateable<ErrorGroupsTable>

export type ErrorSort = 'last_seen' | 'first_seen' | 'occurrences' | 'customers'
export type ErrorFilter = {
  readonly state?: ErrorGroupRow['state']
  readonly version?: number
  readonly executor?: string
  /** If set, includes only groups that this run reported. */
  readonly exec?: string
}

const SORT_COLUMNS = {
  last_seen: 'last_at',
  first_seen: 'first_at',
  occurrences: 'occurrences',
  customers: 'customers',
} as const

/** The script whose reports a worker groups. Undefined if it was deleted. */
export const findScriptOfReports = (db: Queries, id: string): Promise<Selectable<ScriptsTable> | undefined> =>
  db.selectFrom('scripts').selectAll().where('id', '=', id).executeTakeFirst()

/**
 * Prevents the script from being deleted until the transaction ends. Returns false if it has already been
 * deleted.
 */
export const keepScript = async (tx: Queries, id: string): Promise<boolean> => {
  const query = tx.selectFrom('scripts').select('id').where('id', '=', id)
  const row = await (dialectOf(tx).rowLocks ? query.forKeyShare() : query).executeTakeFirst()
  return row !== undefined
}

/** The errors in a script, or in all scripts of a project. */
export type ErrorsOf = { readonly script_id: string } | { readonly project_id: string }

/** Sorts by this value, highest first. */
export const listErrorGroups = (
  db: Queries,
  of: ErrorsOf,
  { sort, from, limit, ...filter }: ErrorFilter & { sort: ErrorSort; from: number; limit: number },
): Promise<ErrorGroupRow[]> =>
  db
    .selectFrom('error_groups')
    .selectAll()
    // Sorts only the numbers before fetching the rows, because messages make the rows long.
    .where(
      'seq',
      'in',
      matching(db, of, filter)
        .select('seq')
        .orderBy(SORT_COLUMNS[sort], 'desc')
        .orderBy('seq', 'desc')
        .limit(limit)
        .offset(from),
    )
    .orderBy(SORT_COLUMNS[sort], 'desc')
    .orderBy('seq', 'desc')
    .execute()

export const countErrorGroups = async (db: Queries, of: ErrorsOf, filter: ErrorFilter): Promise<number> => {
  const { count } = await matching(db, of, filter)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findErrorGroup = (
  db: Queries,
  scriptId: string,
  id: string,
): Promise<ErrorGroupRow | undefined> =>
  db
    .selectFrom('error_groups')
    .selectAll()
    .where('script_id', '=', scriptId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Like `findErrorGroup`, but locks the group. */
export const lockErrorGroupById = (
  tx: Queries,
  scriptId: string,
  id: string,
): Promise<ErrorGroupRow | undefined> => {
  const query = tx.selectFrom('error_groups').selectAll()
  return forUpdate(query.where('script_id', '=', scriptId).where('id', '=', id), tx).executeTakeFirst()
}

export const isErrorOfProject = async (db: Queries, projectId: string, id: string): Promise<boolean> => {
  const query = db.selectFrom('error_groups').select('id').where('project_id', '=', projectId)
  return (await query.where('id', '=', id).executeTakeFirst()) !== undefined
}

/** Finds a group by its fingerprint and locks it. */
export const lockErrorGroup = (
  tx: Queries,
  { script_id, fingerprint }: Pick<ErrorGroupRow, 'script_id' | 'fingerprint'>,
): Promise<ErrorGroupRow | undefined> => {
  const query = tx
    .selectFrom('error_groups')
    .selectAll()
    .where('script_id', '=', script_id)
    .where('fingerprint', '=', fingerprint)
  return forUpdate(query, tx).executeTakeFirst()
}

/** Returns undefined if another process has inserted the group. */
export const insertErrorGroup = (tx: Queries, row: NewErrorGroup): Promise<ErrorGroupRow | undefined> =>
  tx
    .insertInto('error_groups')
    .values(row)
    .onConflict((conflict) => conflict.columns(['script_id', 'fingerprint']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** Returns undefined if the script has no such group. */
export const updateErrorGroup = (
  tx: Queries,
  scriptId: string,
  id: string,
  changes: ErrorGroupChanges,
): Promise<ErrorGroupRow | undefined> =>
  tx
    .updateTable('error_groups')
    .set(changes)
    .where('script_id', '=', scriptId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/**
 * Deletes all but `keep` groups of a script: first ignored groups, then resolved ones, in each case those
 * with the oldest last report.
 */
export const deleteSurplusErrorGroups = async (
  tx: Queries,
  scriptId: string,
  keep: number,
): Promise<void> => {
  const { count } = await tx
    .selectFrom('error_groups')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('script_id', '=', scriptId)
    .executeTakeFirstOrThrow()
  const surplus = Number(count) - keep
  if (surplus <= 0) return
  const rank = sql`case state when 'ignored' then 0 when 'resolved' then 1 else 2 end`
  const last = tx
    .selectFrom('error_groups')
    .select('seq')
    .where('script_id', '=', scriptId)
    .orderBy(rank)
    .orderBy('last_at')
    .orderBy('seq')
    .limit(surplus)
  await tx.deleteFrom('error_groups').where('seq', 'in', skipLocked(last, tx)).execute()
}

/** Deletes up to `limit` groups last reported before `before`, and returns their number. */
export const deleteOldErrorGroups = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'error_groups', key: ['seq'], column: 'last_at', before, limit })

function matching(db: Queries, of: ErrorsOf, { state, version, executor, exec }: ErrorFilter) {
  const counted = (dimension: string, value: string) =>
    sql<SqlBool>`exists (select 1 from error_counts as c where c.error_id = error_groups.id
      and c.dimension = ${dimension} and c.value = ${value})`
  return (
    db
      .selectFrom('error_groups')
      .where((e) =>
        'script_id' in of ? e('script_id', '=', of.script_id) : e('project_id', '=', of.project_id),
      )
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'open'))
      .$if(version !== undefined, (query) => query.where(counted('version', String(version))))
      .$if(executor !== undefined, (query) => query.where(counted('executor', executor ?? '')))
      // This condition is cheap, because a script has a limited number of groups, and each is looked up by
      // primary key.
      .$if(exec !== undefined, (query) =>
        query.where(
          sql<SqlBool>`exists (select 1 from error_runs as r where r.error_id = error_groups.id and r.exec = ${exec})`,
        ),
      )
  )
}
