/** Rows of `discord_bots` and every statement on that table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { DiscordBotsTable } from '../../../database/schema/chat-tables.ts'

export type BotRow = Selectable<DiscordBotsTable>

const one = prepared((db, p: { project_id: string }) =>
  db.selectFrom('discord_bots').selectAll().where('project_id', '=', p.project_id),
)
export const findBot = (db: Queries, projectId: string): Promise<BotRow | null> =>
  one.first(db, { project_id: projectId })

export const listPublicKeys = (db: Queries): Promise<Pick<BotRow, 'project_id' | 'public_key'>[]> =>
  db.selectFrom('discord_bots').select(['project_id', 'public_key']).execute()

/** Replaces the project's earlier bot. */
export const insertBot = async (tx: Queries, row: Insertable<DiscordBotsTable>): Promise<void> => {
  await deleteBot(tx, row.project_id)
  await tx.insertInto('discord_bots').values(row).execute()
}

export const updateBot = async (
  tx: Queries,
  projectId: string,
  changes: Updateable<DiscordBotsTable>,
): Promise<boolean> => {
  const done = await tx
    .updateTable('discord_bots')
    .set(changes)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

export const deleteBot = async (tx: Queries, projectId: string): Promise<boolean> => {
  const done = await tx.deleteFrom('discord_bots').where('project_id', '=', projectId).executeTakeFirst()
  return done.numDeletedRows > 0n
}
