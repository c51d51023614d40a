/** Reads the data that determines whether a Discord account gets its plan's role. */
import type { Queries } from '../../../database/engine/db.ts'

/**
 * The user whose key is linked to the account. Users that a bulk change is still adding are included. If that
 * change fails, deleting its users triggers another check.
 */
export const findRoleCustomer = (db: Queries, projectId: string, chatId: string) =>
  db
    .selectFrom('users as u')
    .leftJoin('plans as p', 'p.id', 'u.plan_id')
    .select(['u.key_expires', 'u.starts_at', 'u.paused_at', 'u.blacklisted', 'u.blacklist_expires'])
    .select(['p.grace', 'p.chat_role_id'])
    .where('u.project_id', '=', projectId)
    .where('u.chat_id', '=', chatId)
    .executeTakeFirst()

export type RoleCustomer = NonNullable<Awaited<ReturnType<typeof findRoleCustomer>>>

/** When each ban of the account expires. Null for never. May include expired bans. */
export const listChatBans = async (
  db: Queries,
  projectId: string,
  chatId: string,
): Promise<(number | null)[]> => {
  const rows = await db
    .selectFrom('bans')
    .select('expires')
    .where('project_id', '=', projectId)
    .where('kind', '=', 'chat')
    .where('value', '=', chatId)
    .execute()
  return rows.map(({ expires }) => expires)
}
