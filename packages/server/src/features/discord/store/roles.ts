/** All queries on the `discord_roles` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { DiscordRolesTable } from '../../../database/schema/chat-tables.ts'

export type RoleRow = Selectable<DiscordRolesTable>
export type RoleProblem = NonNullable<RoleRow['problem']>

/** Number of roles from the bot that customers currently have. */
export const countRoles = async (db: Queries, projectId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('discord_roles')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('is_given', '=', 1)
    .executeTakeFirstOrThrow()
  return count
}

/** Lists problems, most recent first. */
export const listRoleProblems = async (db: Queries, projectId: string, limit: number) => {
  const rows = await db
    .selectFrom('discord_roles')
    .select(['chat_id', 'role_id', 'problem', 'changed_at'])
    .where('project_id', '=', projectId)
    .where('problem', 'is not', null)
    .orderBy('changed_at', 'desc')
    .orderBy('chat_id')
    .limit(limit)
    .execute()
  return rows.map(({ problem, ...row }) => ({ ...row, problem: problem as RoleProblem }))
}

export const listMemberRoles = (db: Queries, projectId: string, chatId: string): Promise<RoleRow[]> =>
  db
    .selectFrom('discord_roles')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('chat_id', '=', chatId)
    .execute()

export const upsertMemberRole = async (tx: Queries, row: Insertable<DiscordRolesTable>): Promise<void> => {
  const { server_id, is_given, problem, changed_at } = row
  await tx
    .insertInto('discord_roles')
    .values(row)
    .onConflict((on) =>
      on
        .columns(['project_id', 'chat_id', 'role_id'])
        .doUpdateSet({ server_id, is_given, problem, changed_at }),
    )
    .execute()
}

type MemberRole = Pick<RoleRow, 'project_id' | 'chat_id' | 'role_id'>
export const deleteMemberRole = async (
  tx: Queries,
  { project_id, chat_id, role_id }: MemberRole,
): Promise<void> => {
  await tx
    .deleteFrom('discord_roles')
    .where((e) => e.and({ project_id, chat_id, role_id }))
    .execute()
}
