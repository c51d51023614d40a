/** All queries on the `discord_members` table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { DiscordMembersTable } from '../../../database/schema/chat-tables.ts'

export type KnownMember = { readonly is_member: number | null; readonly asked_at: number | null }

const known = prepared((db, p: { project_id: string; chat_id: string }) =>
  db
    .selectFrom('discord_bots as b')
    .leftJoin('discord_members as m', (join) =>
      join
        .onRef('m.project_id', '=', 'b.project_id')
        .onRef('m.server_id', '=', 'b.server_id')
        .on('m.chat_id', '=', p.chat_id),
    )
    .select(['m.is_member', 'm.asked_at'])
    .where('b.project_id', '=', p.project_id)
    .where('b.server_id', 'is not', null),
)
/**
 * Discord's last response about the account on the bot's current server, with null fields if there is none.
 * Null if the project has no bot on a server.
 */
export const findKnownMember = (
  db: Queries,
  projectId: string,
  chatId: string,
): Promise<KnownMember | null> => known.first(db, { project_id: projectId, chat_id: chatId })

export const saveMember = async (tx: Queries, row: Insertable<DiscordMembersTable>): Promise<void> => {
  const { server_id, is_member, asked_at } = row
  await tx
    .insertInto('discord_members')
    .values(row)
    .onConflict((on) => on.columns(['project_id', 'chat_id']).doUpdateSet({ server_id, is_member, asked_at }))
    .execute()
}

export const deleteOldMembers = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'discord_members',
    key: ['project_id', 'chat_id'],
    column: 'asked_at',
    before,
    limit,
  })
