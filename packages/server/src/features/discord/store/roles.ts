/** Rows of `discord_roles` and every statement on that table. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { DiscordRolesTable } from '../../../database/schema/chat-tables.ts'

export type RoleRow = Selectable<DiscordRolesTable>
export type RoleProblem = NonNullable<RoleRow['problem']>

/** The number of roles that customers have from the bot. */
export const countRoles = async (db: Queries, projectId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('discord_roles')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('problem', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** The newest problems first. */
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
