/** Queries on the `saved_views` table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../database/engine/db.ts'
import type { SavedViewsTable } from '../../database/schema/content-tables.ts'

/** Returns undefined if the owner has never saved views. */
export const findViews = async (
  db: Queries,
  projectId: string,
  owner: string,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('saved_views')
    .select('data')
    .where('project_id', '=', projectId)
    .where('owner', '=', owner)
    .executeTakeFirst()
  return row?.data
}

export const saveViews = async (tx: Queries, row: Insertable<SavedViewsTable>): Promise<void> => {
  const { data, updated_at } = row
  await tx
    .insertInto('saved_views')
    .values(row)
    .onConflict((conflict) => conflict.columns(['project_id', 'owner']).doUpdateSet({ data, updated_at }))
    .execute()
}

/** Deletes a user's views in an account that the user is leaving. */
export const deleteViewsOfLeaver = async (tx: Queries, owner: string, customerId: string): Promise<void> => {
  await tx
    .deleteFrom('saved_views')
    .where('owner', '=', owner)
    .where('project_id', 'in', (e) =>
      e.selectFrom('projects').select('id').where('customer_id', '=', customerId),
    )
    .execute()
}
