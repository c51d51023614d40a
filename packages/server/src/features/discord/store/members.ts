/** Rows of `discord_members` and every statement on that table. */
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'

export const deleteOldMembers = (tx: Queries, before: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'discord_members',
    key: ['project_id', 'chat_id'],
    column: 'asked_at',
    before,
    limit,
  })
