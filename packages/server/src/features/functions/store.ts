/** All queries on the `server_functions` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../database/engine/db.ts'
import { prepared } from '../../database/engine/prepared.ts'
import type { ServerFunctionsTable } from '../../database/schema/version-tables.ts'

export type FunctionRow = Selectable<ServerFunctionsTable>
type MovedColumn = 'number' | 'kind' | 'place' | 'cpu_ms'
/** A server function, without its source. */
export type ListedFunction = Omit<
  FunctionRow,
  'source' | 'script_id' | 'version' | 'reported_at' | MovedColumn
>
/** A function or table that a build moved to the server, without its source. */
export type ListedServerCode = Pick<FunctionRow, Exclude<(typeof MOVED)[number], 'number' | 'place'>> & {
  readonly number: number
  readonly place: string
}
type SavedFunction = Pick<
  Insertable<ServerFunctionsTable>,
  'script_id' | 'name' | 'source' | 'source_bytes' | 'updated_at'
>

/** The `version` value of server functions, which don't belong to a version of the script. */
export const UNVERSIONED = 0

const MOVED = [
  ...(['number', 'name', 'kind', 'place', 'source_bytes', 'calls', 'failures', 'cpu_ms'] as const),
  ...(['last_problem', 'last_failed_at'] as const),
] as const
const LISTED = [
  ...(['name', 'source_bytes', 'created_at', 'updated_at', 'calls', 'failures'] as const),
  ...(['last_problem', 'last_failed_at'] as const),
] as const

/** Returns the functions sorted by name. */
export const listFunctions = (db: Queries, scriptId: string): Promise<ListedFunction[]> =>
  ofVersion(db, scriptId, UNVERSIONED).select(LISTED).orderBy('name').execute()

/** Returns the functions and tables sorted by number. */
export const listServerCode = (db: Queries, scriptId: string, version: number): Promise<ListedServerCode[]> =>
  ofVersion(db, scriptId, version)
    .select(MOVED)
    .orderBy('number')
    .$narrowType<{ number: number; place: string }>()
    .execute()

const ofVersion = (db: Queries, scriptId: string, version: number) =>
  db.selectFrom('server_functions').where('script_id', '=', scriptId).where('version', '=', version)

const one = prepared((db, p: { script: string; name: string }) =>
  ofVersion(db, p.script, UNVERSIONED).selectAll().where('name', '=', p.name),
)
export const findFunction = (db: Queries, scriptId: string, name: string): Promise<FunctionRow | null> =>
  one.first(db, { script: scriptId, name })

const moved = prepared((db, p: { script: string; version: number; number: number }) =>
  db
    .selectFrom('server_functions')
    .selectAll()
    .where('script_id', '=', p.script)
    .where('version', '=', p.version)
    .where('number', '=', p.number),
)
export const findServerCode = (
  db: Queries,
  scriptId: string,
  { version, number }: { readonly version: number; readonly number: number },
): Promise<FunctionRow | null> => moved.first(db, { script: scriptId, version, number })

export const insertServerCode = async (
  tx: Queries,
  rows: readonly Insertable<ServerFunctionsTable>[],
): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('server_functions').values(rows).execute()
}

/** Creates a function, or replaces an existing function's source and keeps its counts. */
export const saveFunction = async (tx: Queries, row: SavedFunction): Promise<void> => {
  const { source, source_bytes, updated_at } = row
  await tx
    .insertInto('server_functions')
    .values({ ...row, created_at: updated_at })
    .onConflict((conflict) =>
      conflict.columns(['script_id', 'version', 'name']).doUpdateSet({ source, source_bytes, updated_at }),
    )
    .execute()
}

export const deleteFunction = async (tx: Queries, scriptId: string, name: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('server_functions')
    .where('script_id', '=', scriptId)
    .where('version', '=', UNVERSIONED)
    .where('name', '=', name)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

type Counts = { readonly calls: number; readonly failures: number; readonly cpu_ms: number }
type RowId = Pick<FunctionRow, 'script_id' | 'version' | 'name'>
type Failure = { readonly problem: string; readonly at: number }

/** Adds to the counts of a function. Does nothing if the function was removed. */
export const addCalls = async (
  tx: Queries,
  { script_id, version, name }: RowId,
  { calls, failures, cpu_ms }: Counts,
  last: Failure | null,
): Promise<void> => {
  await tx
    .updateTable('server_functions')
    .set((e) => ({
      calls: e('calls', '+', calls),
      failures: e('failures', '+', failures),
      cpu_ms: e('cpu_ms', '+', cpu_ms),
      ...(last && { last_problem: last.problem, last_failed_at: last.at }),
    }))
    .where('script_id', '=', script_id)
    .where('version', '=', version)
    .where('name', '=', name)
    .execute()
}

/**
 * Records that the owner is being notified of a failure. Returns false if the owner was already notified
 * after `before`, or if the function was removed.
 */
export const updateReported = async (
  tx: Queries,
  { script_id, version, name }: RowId,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<boolean> => {
  const done = await tx
    .updateTable('server_functions')
    .set({ reported_at: now })
    .where('script_id', '=', script_id)
    .where('version', '=', version)
    .where('name', '=', name)
    .where((e) => e.or([e('reported_at', 'is', null), e('reported_at', '<=', before)]))
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}
