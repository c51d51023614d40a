/** All queries on the `discord_bots` table. */
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

/** Replaces the project's previous bot. */
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

/** Updates other projects' bots that use the same application. */
export const updateOtherBots = async (
  tx: Queries,
  { project_id, application_id }: Pick<BotRow, 'project_id' | 'application_id'>,
  changes: Updateable<DiscordBotsTable>,
): Promise<void> => {
  await tx
    .updateTable('discord_bots')
    .set(changes)
    .where('application_id', '=', application_id)
    .where('project_id', '<>', project_id)
    .execute()
}

export const deleteBot = async (tx: Queries, projectId: string): Promise<boolean> => {
  const done = await tx.deleteFrom('discord_bots').where('project_id', '=', projectId).executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Bots whose roles have never been compared, or were last compared at or before `before`. */
export const listUncompared = async (db: Queries, before: number, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('discord_bots')
    .select('project_id')
    .where('server_id', 'is not', null)
    .where((e) => e.or([e('compared_at', 'is', null), e('compared_at', '<=', before)]))
    .limit(limit)
    .execute()
  return rows.map(({ project_id }) => project_id)
}

/** Returns false if the bot doesn't exist or has no server, or if its roles were compared after `before`. */
export const markCompared = async (
  tx: Queries,
  projectId: string,
  { now, before }: { readonly now: number; readonly before: number },
): Promise<boolean> => {
  const done = await tx
    .updateTable('discord_bots')
    .set({ compared_at: now, roles_failures: 0, roles_retry_at: null })
    .where('project_id', '=', projectId)
    .where('server_id', 'is not', null)
    .where((e) => e.or([e('compared_at', 'is', null), e('compared_at', '<=', before)]))
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}
