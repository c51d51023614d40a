/** All queries on the `discord_claims` table. */
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'

export type Claim = { readonly projectId: string; readonly id: string; readonly at: number }

/** Returns false if the ID has already been claimed. */
export const insertClaim = async (tx: Queries, { projectId, id, at }: Claim): Promise<boolean> => {
  const done = await tx
    .insertInto('discord_claims')
    .values({ project_id: projectId, id, at })
    .onConflict((on) => on.columns(['project_id', 'id']).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

export const deleteClaim = async (tx: Queries, projectId: string, id: string): Promise<void> => {
  await tx
    .deleteFrom('discord_claims')
    .where((e) => e.and({ project_id: projectId, id }))
    .execute()
}

export const deleteOldClaims = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, { table: 'discord_claims', key: ['project_id', 'id'], column: 'at', before, limit })
