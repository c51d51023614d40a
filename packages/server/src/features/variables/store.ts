/**
 * Queries on the `project_variables` and `announcements` tables, and on their shared revision in `projects`.
 */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../database/engine/db.ts'
import { deleteOldest } from '../../database/engine/delete-oldest.ts'
import { prepared } from '../../database/engine/prepared.ts'
import type { AnnouncementsTable, ProjectVariablesTable } from '../../database/schema/content-tables.ts'

export type VariablesRow = Selectable<ProjectVariablesTable>
export type TargetedAnnouncement = Selectable<AnnouncementsTable>
/** Excludes the keys, because there can be thousands of them. */
export type ListedAnnouncement = Omit<TargetedAnnouncement, 'keys'>
export type NewAnnouncement = Insertable<AnnouncementsTable>

const variables = prepared((db, p: { id: string }) =>
  db.selectFrom('project_variables').selectAll().where('project_id', '=', p.id),
)
/**
 * Returns null for a project that never had variables. Clients are not tenants, so the caller must check who
 * owns the project.
 */
export const findVariables = (db: Queries, projectId: string): Promise<VariablesRow | null> =>
  variables.first(db, { id: projectId })

export const saveVariables = async (tx: Queries, row: VariablesRow): Promise<void> => {
  const { project_id: _, ...changes } = row
  await tx
    .insertInto('project_variables')
    .values(row)
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(changes))
    .execute()
}

/** Lists announcements newest first, including expired ones. */
export const listAnnouncements = (db: Queries, projectId: string): Promise<ListedAnnouncement[]> =>
  db
    .selectFrom('announcements')
    .select(['seq', 'id', 'project_id', 'text', 'level', 'until', 'scripts', 'users', 'created_at'])
    .where('project_id', '=', projectId)
    .orderBy('seq', 'desc')
    .execute()

const withKeys = prepared((db, p: { id: string }) =>
  db.selectFrom('announcements').selectAll().where('project_id', '=', p.id).orderBy('seq', 'desc'),
)
/** Like `listAnnouncements`, but includes the keys that see each announcement. */
export const listTargetedAnnouncements = (db: Queries, projectId: string): Promise<TargetedAnnouncement[]> =>
  withKeys.all(db, { id: projectId })

export const insertAnnouncement = async (tx: Queries, row: NewAnnouncement): Promise<void> => {
  await tx.insertInto('announcements').values(row).execute()
}

export const deleteAnnouncement = async (tx: Queries, projectId: string, id: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('announcements')
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}

export const deleteEndedAnnouncements = async (
  tx: Queries,
  projectId: string,
  now: number,
): Promise<void> => {
  await tx.deleteFrom('announcements').where('project_id', '=', projectId).where('until', '<=', now).execute()
}

/**
 * Deletes up to `limit` announcements that expired before `before`. Returns the number of deleted
 * announcements.
 */
export const deleteOldAnnouncements = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'announcements', key: ['seq'], column: 'until', before, limit })

const revision = prepared((db, p: { id: string }) =>
  db.selectFrom('projects').select('content_revision').where('id', '=', p.id),
)
/** Returns undefined if the project was deleted. */
export const findContentRevision = async (db: Queries, projectId: string): Promise<number | undefined> =>
  (await revision.first(db, { id: projectId }))?.content_revision

/**
 * Invalidates the cache of a project's content in all processes. Must be called in the transaction that
 * changes the content.
 */
export const raiseContentRevision = async (tx: Queries, projectId: string): Promise<void> => {
  await tx
    .updateTable('projects')
    .set((e) => ({ content_revision: e('content_revision', '+', 1) }))
    .where('id', '=', projectId)
    .execute()
}
