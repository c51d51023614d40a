/**
 * All queries on the `discord_role_checks` table. Triggers in `database/engine/role-checks.ts` insert a check
 * whenever data that affects a role changes.
 */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { BotRow } from './bots.ts'

/** A check claimed by this process. `due_at` identifies the claim. */
export type Check = {
  readonly project_id: string
  readonly chat_id: string
  readonly due_at: number
  readonly asks: boolean
}

type Due = { readonly now: number; readonly after: string; readonly limit: number }

/** Bots with due checks, by project ID. Omits bots that are waiting after a failure. */
export const listDueBots = (db: Queries, { now, after, limit }: Due): Promise<BotRow[]> =>
  db
    .selectFrom('discord_bots as b')
    .selectAll()
    .where('b.project_id', '>', after)
    .where('b.server_id', 'is not', null)
    .where((e) => e.or([e('b.roles_retry_at', 'is', null), e('b.roles_retry_at', '<=', now)]))
    .where((e) =>
      e.exists(
        e
          .selectFrom('discord_role_checks as c')
          .select('c.chat_id')
          .whereRef('c.project_id', '=', 'b.project_id')
          .where('c.due_at', '<=', now),
      ),
    )
    .orderBy('b.project_id')
    .limit(limit)
    .execute()

type Claim = { readonly now: number; readonly until: number; readonly limit: number }

/** Claims the most overdue checks. Other processes skip them until `until`. */
export const claimChecks = async (
  tx: Queries,
  projectId: string,
  { now, until, limit }: Claim,
): Promise<Check[]> => {
  const due = tx
    .selectFrom('discord_role_checks')
    .select('chat_id')
    .where('project_id', '=', projectId)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
  const rows = await tx
    .updateTable('discord_role_checks')
    .set({ due_at: until })
    .where('project_id', '=', projectId)
    .where('chat_id', 'in', skipLocked(due, tx))
    .returning(['project_id', 'chat_id', 'due_at', 'asks'])
    .execute()
  return rows.map((row) => ({ ...row, asks: row.asks === 1 }))
}

/**
 * Reschedules the check for `next`, or deletes it if `next` is null. Returns false if something changed
 * during the check.
 */
export const finishCheck = async (tx: Queries, check: Check, next: number | null): Promise<boolean> => {
  const { project_id, chat_id, due_at } = check
  const own = { project_id, chat_id, due_at }
  if (next === null) {
    const deleted = tx.deleteFrom('discord_role_checks').where((e) => e.and(own))
    return (await deleted.executeTakeFirst()).numDeletedRows > 0n
  }
  const moved = tx.updateTable('discord_role_checks').set({ due_at: next, asks: 0 })
  return (await moved.where((e) => e.and(own)).executeTakeFirst()).numUpdatedRows > 0n
}

/** Inserts or replaces an account's check. */
export const upsertCheck = async (
  tx: Queries,
  { project_id, chat_id, due_at, asks }: Check,
): Promise<void> => {
  const changes = { due_at, asks: asks ? 1 : 0 } as const
  await tx
    .insertInto('discord_role_checks')
    .values({ project_id, chat_id, ...changes })
    .onConflict((on) => on.columns(['project_id', 'chat_id']).doUpdateSet(changes))
    .execute()
}

/** Makes the next check of this account query Discord. */
export const markAsking = async (tx: Queries, { project_id, chat_id }: Check): Promise<void> => {
  await tx
    .updateTable('discord_role_checks')
    .set({ asks: 1 })
    .where((e) => e.and({ project_id, chat_id }))
    .execute()
}

/** Releases the claim on a check that was not made. */
export const releaseCheck = async (tx: Queries, { project_id, chat_id, due_at }: Check): Promise<void> => {
  await tx
    .updateTable('discord_role_checks')
    .set({ due_at: 0 })
    .where((e) => e.and({ project_id, chat_id, due_at }))
    .execute()
}

/**
 * Schedules a check for each account that has a role from the bot or whose plan has a role. These checks
 * query Discord. Checks that are already overdue, such as those caused by changes, run first.
 */
export const scheduleAll = async (tx: Queries, projectId: string, now: number): Promise<void> => {
  await sql`insert into discord_role_checks (project_id, chat_id, due_at, asks)
    select everyone.project_id, everyone.chat_id, ${now}, 1 from (
      select u.project_id, u.chat_id from users as u join plans as p on p.id = u.plan_id
      where u.project_id = ${projectId} and u.chat_id is not null and p.chat_role_id is not null
      union select project_id, chat_id from discord_roles where project_id = ${projectId}
    ) as everyone where true order by everyone.chat_id
    on conflict (project_id, chat_id) do update set asks = 1,
      due_at = case when discord_role_checks.due_at < ${now} then discord_role_checks.due_at else ${now} end`.execute(
    tx,
  )
}

type TakenRole = {
  readonly project_id: string
  readonly chat_id: string
  readonly role_id: string
  readonly server_id: string
}

/**
 * Schedules checks in the other projects on the same server whose plan gives this account the role that was
 * taken. These checks query Discord.
 */
export const scheduleFellows = async (
  tx: Queries,
  { project_id, chat_id, role_id, server_id }: TakenRole,
): Promise<void> => {
  await sql`insert into discord_role_checks (project_id, chat_id, due_at, asks)
    select u.project_id, u.chat_id, 0, 1 from discord_bots as b
      join users as u on u.project_id = b.project_id and u.chat_id = ${chat_id}
      join plans as p on p.id = u.plan_id and p.chat_role_id = ${role_id}
      where b.server_id = ${server_id} and b.project_id <> ${project_id} order by u.project_id
    on conflict (project_id, chat_id) do update set due_at = 0, asks = 1`.execute(tx)
}

export const deleteChecks = async (tx: Queries, projectId: string): Promise<void> => {
  await tx.deleteFrom('discord_role_checks').where('project_id', '=', projectId).execute()
}
