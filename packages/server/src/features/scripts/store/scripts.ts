/** All queries on the `scripts` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate } from '../../../database/engine/dialect.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ScriptsTable } from '../../../database/schema/tables.ts'

export type ScriptRow = Selectable<ScriptsTable>
export type NewScript = Insertable<ScriptsTable>
export type ScriptChanges = Updateable<ScriptsTable>

export const listScripts = (
  db: Queries,
  projectId: string,
  { from, limit, ...place }: KeysetRange,
): Promise<ScriptRow[]> => {
  const { beyond, start, direction } = keysetOrder(place)
  return db
    .selectFrom('scripts')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('seq', beyond, start)
    .orderBy('seq', direction)
    .limit(limit)
    .offset(from)
    .execute()
}

export type ScriptName = Pick<ScriptRow, 'id' | 'name'>

/** Lists all scripts of an account, or of one of its projects, in order of creation. */
export const listScriptNames = (db: Queries, customerId: string, projectId?: string): Promise<ScriptName[]> =>
  db
    .selectFrom('scripts')
    .innerJoin('projects', 'projects.id', 'scripts.project_id')
    .select(['scripts.id', 'scripts.name'])
    .where('projects.customer_id', '=', customerId)
    .$if(projectId !== undefined, (query) => query.where('projects.id', '=', projectId ?? ''))
    .orderBy('scripts.seq')
    .execute()

export const countScripts = async (db: Queries, projectId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('scripts')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const countCustomerScripts = async (db: Queries, customerId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('scripts')
    .innerJoin('projects', 'projects.id', 'scripts.project_id')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('projects.customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const insertScript = (tx: Queries, row: NewScript): Promise<ScriptRow> =>
  tx.insertInto('scripts').values(row).returningAll().executeTakeFirstOrThrow()

/** Returns undefined if the script was deleted. */
export const updateScript = (
  tx: Queries,
  projectId: string,
  id: string,
  changes: ScriptChanges,
): Promise<ScriptRow | undefined> =>
  tx
    .updateTable('scripts')
    .set(changes)
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst()

/** Returns undefined if the script was deleted. The caller must have checked the owner. */
export const findScriptName = async (db: Queries, id: string): Promise<string | undefined> =>
  (await db.selectFrom('scripts').select('name').where('id', '=', id).executeTakeFirst())?.name

/** Returns which versions a script serves, or undefined if it was deleted. There is no owner condition. */
export const findServing = (
  db: Queries,
  id: string,
): Promise<Pick<ScriptRow, 'version' | 'staging'> | undefined> =>
  db.selectFrom('scripts').select(['version', 'staging']).where('id', '=', id).executeTakeFirst()

/** Lists the given scripts that have channels or running releases. */
export const listStagings = async (
  db: Queries,
  ids: readonly string[],
): Promise<Pick<ScriptRow, 'id' | 'staging'>[]> => {
  // PostgreSQL does not accept an empty list in an `in` condition.
  if (ids.length === 0) return []
  return db
    .selectFrom('scripts')
    .select(['id', 'staging'])
    .where('id', 'in', ids)
    .where('staging', 'is not', null)
    .execute()
}

/**
 * Returns the script of a release, or undefined if it was deleted. There is no owner condition, because the
 * ID doesn't come from a caller.
 */
export const findReleasedScript = (
  db: Queries,
  id: string,
): Promise<Pick<ScriptRow, 'id' | 'project_id'> | undefined> =>
  db.selectFrom('scripts').select(['id', 'project_id']).where('id', '=', id).executeTakeFirst()

/** Returns false if the script was deleted. */
export const lockScript = async (tx: Queries, projectId: string, id: string): Promise<boolean> => {
  const one = tx.selectFrom('scripts').select('seq').where('id', '=', id).where('project_id', '=', projectId)
  return (await forUpdate(one, tx).executeTakeFirst()) !== undefined
}

/** Foreign keys also delete the script's versions, instances and statistics. */
export const deleteScript = async (tx: Queries, projectId: string, id: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('scripts')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}
