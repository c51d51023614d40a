/** Rows of `server_functions` and all statements on that table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../database/engine/db.ts'
import { prepared } from '../../database/engine/prepared.ts'
import type { ServerFunctionsTable } from '../../database/schema/version-tables.ts'

export type FunctionRow = Selectable<ServerFunctionsTable>
/** Everything except the source. */
export type ListedFunction = Omit<FunctionRow, 'source' | 'script_id' | 'reported_at'>
type SavedFunction = Pick<
  Insertable<ServerFunctionsTable>,
  'script_id' | 'name' | 'source' | 'source_bytes' | 'updated_at'
>

const LISTED = [
  ...(['name', 'source_bytes', 'created_at', 'updated_at', 'calls', 'failures'] as const),
  ...(['last_problem', 'last_failed_at'] as const),
] as const

/** Sorted by name. */
export const listFunctions = (db: Queries, scriptId: string): Promise<ListedFunction[]> =>
  db.selectFrom('server_functions').select(LISTED).where('script_id', '=', scriptId).orderBy('name').execute()

const one = prepared((db, p: { script: string; name: string }) =>
  db.selectFrom('server_functions').selectAll().where('script_id', '=', p.script).where('name', '=', p.name),
)
export const findFunction = (db: Queries, scriptId: string, name: string): Promise<FunctionRow | null> =>
  one.first(db, { script: scriptId, name })

/** Creates a function or replaces its source; its counts are kept. */
export const saveFunction = async (tx: Queries, row: SavedFunction): Promise<void> => {
  const { source, source_bytes, updated_at } = row
  await tx
    .insertInto('server_functions')
    .values({ ...row, created_at: updated_at })
    .onConflict((conflict) =>
      conflict.columns(['script_id', 'name']).doUpdateSet({ source, source_bytes, updated_at }),
    )
    .execute()
}

export const deleteFunction = async (tx: Queries, scriptId: string, name: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('server_functions')
    .where('script_id', '=', scriptId)
    .where('name', '=', name)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

type Counts = { readonly calls: number; readonly failures: number }
type Failure = { readonly problem: string; readonly at: number }

/** Adds to the counts of a function. Does nothing if it was removed. */
export const addCalls = async (
  tx: Queries,
  { script_id, name }: Pick<FunctionRow, 'script_id' | 'name'>,
  { calls, failures }: Counts,
  last: Failure | null,
): Promise<void> => {
  await tx
    .updateTable('server_functions')
    .set((e) => ({
      calls: e('calls', '+', calls),
      failures: e('failures', '+', failures),
      ...(last && { last_problem: last.problem, last_failed_at: last.at }),
    }))
    .where('script_id', '=', script_id)
    .where('name', '=', name)
    .execute()
}

/**
 * Records that the owner is being notified of a failure now. Returns false if they were notified after
 * `before` or the function was removed.
 */
export const updateReported = async (
  tx: Queries,
  { script_id, name }: Pick<FunctionRow, 'script_id' | 'name'>,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<boolean> => {
  const done = await tx
    .updateTable('server_functions')
    .set({ reported_at: now })
    .where('script_id', '=', script_id)
    .where('name', '=', name)
    .where((e) => e.or([e('reported_at', 'is', null), e('reported_at', '<=', before)]))
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}
