/** All queries on the `traces` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { TracesTable } from '../../../database/schema/content-tables.ts'

export type TraceRow = Selectable<TracesTable>
export type NewTrace = Insertable<TracesTable>
export type ListedTrace = Omit<TraceRow, 'result'> & { readonly script_name: string }

export const insertTrace = async (tx: Queries, row: NewTrace): Promise<void> => {
  await tx.insertInto('traces').values(row).execute()
}

const listed = (db: Queries, projectId: string) =>
  db
    .selectFrom('traces')
    .innerJoin('scripts', 'scripts.id', 'traces.script_id')
    .select(['traces.seq', 'traces.id', 'traces.project_id', 'traces.script_id', 'traces.created_at'])
    .select(['traces.actor_kind', 'traces.actor_id', 'traces.actor_name'])
    .select(['traces.bytes', 'traces.sha256', 'traces.summary', 'scripts.name as script_name'])
    .where('traces.project_id', '=', projectId)

export type TracePage = {
  readonly projectId: string
  readonly scriptId: string | undefined
  /** The row after which the page starts. */
  readonly after: number | undefined
  readonly limit: number
}

/** Lists traces newest first, without the full results. */
export const listTraces = (
  db: Queries,
  { projectId, scriptId, after, limit }: TracePage,
): Promise<ListedTrace[]> =>
  listed(db, projectId)
    .$if(scriptId !== undefined, (query) => query.where('traces.script_id', '=', scriptId ?? ''))
    .$if(after !== undefined, (query) => query.where('traces.seq', '<', after ?? 0))
    .orderBy('traces.seq', 'desc')
    .limit(limit)
    .execute()

export const findTrace = (
  db: Queries,
  projectId: string,
  id: string,
): Promise<(ListedTrace & Pick<TraceRow, 'result'>) | undefined> =>
  listed(db, projectId).select('traces.result').where('traces.id', '=', id).executeTakeFirst()

/** Deletes all but the latest `keep` traces of a project. */
export const deleteSurplusTraces = async (tx: Queries, projectId: string, keep: number): Promise<void> => {
  const surplus = tx
    .selectFrom('traces')
    .select('seq')
    .where('project_id', '=', projectId)
    .orderBy('seq', 'desc')
    .limit(1)
    .offset(keep)
  await tx.deleteFrom('traces').where('project_id', '=', projectId).where('seq', '<=', surplus).execute()
}

/** Returns the next project, by ID, that has a trace, or undefined if there is none. */
export const findNextTracedProject = async (db: Queries, after: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('traces')
    .select((e) => e.fn.min<string | null>('project_id').as('project_id'))
    .where('project_id', '>', after)
    .executeTakeFirst()
  return row?.project_id ?? undefined
}

/** Deletes a project's traces that were created before this time. */
export const deleteOldTraces = async (tx: Queries, projectId: string, before: number): Promise<void> => {
  const old = tx
    .selectFrom('traces')
    .select('seq')
    .where('project_id', '=', projectId)
    .where('created_at', '<', before)
  await tx.deleteFrom('traces').where('seq', 'in', skipLocked(old, tx)).execute()
}
