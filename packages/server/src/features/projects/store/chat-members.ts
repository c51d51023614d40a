/** All queries on the `chat_members` table. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { ChatMembersTable } from '../../../database/schema/tables.ts'

export type ChatMemberRow = Selectable<ChatMembersTable>

const one = prepared((db, p: { project_id: string; chat_id: string }) =>
  db
    .selectFrom('chat_members')
    .select('added_at')
    .where('project_id', '=', p.project_id)
    .where('chat_id', '=', p.chat_id),
)
export const findChatMember = (db: Queries, projectId: string, chatId: string) =>
  one.first(db, { project_id: projectId, chat_id: chatId })

/** Lists members in the order they were added. */
export const listChatMembers = (
  db: Queries,
  projectId: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Pick<ChatMemberRow, 'chat_id' | 'added_at'>[]> =>
  db
    .selectFrom('chat_members')
    .select(['chat_id', 'added_at'])
    .where('project_id', '=', projectId)
    .orderBy('seq')
    .offset(from)
    .limit(limit)
    .execute()

export const countChatMembers = async (db: Queries, projectId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('chat_members')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return count
}

export type Joining = {
  readonly projectId: string
  readonly chatIds: readonly string[]
  readonly now: number
}

/** Adds the accounts that are not yet members. Returns the number of added members. */
export const insertChatMembers = async (
  tx: Queries,
  { projectId, chatIds, now }: Joining,
): Promise<number> => {
  const done = await sql`insert into chat_members (project_id, chat_id, added_at)
    select cast(${projectId} as text), given.chat_id, cast(${now} as bigint) from ${rowsOf(tx, chatIds)} as given
    where true order by given.position on conflict (project_id, chat_id) do nothing`.execute(tx)
  return Number(done.numAffectedRows ?? 0n)
}

/** Deletes the accounts that are members. Returns the number of deleted members. */
export const deleteChatMembers = async (
  tx: Queries,
  projectId: string,
  chatIds: readonly string[],
): Promise<number> => {
  const done = await sql`delete from chat_members where project_id = ${projectId}
    and chat_id in (select chat_id from ${rowsOf(tx, chatIds)} as given)`.execute(tx)
  return Number(done.numAffectedRows ?? 0n)
}

/**
 * Deletes all members except the given accounts, which need not be members. Returns the number of deleted
 * members.
 */
export const deleteOtherChatMembers = async (
  tx: Queries,
  projectId: string,
  chatIds: readonly string[],
): Promise<number> => {
  const done = await sql`delete from chat_members where project_id = ${projectId}
    and chat_id not in (select chat_id from ${rowsOf(tx, chatIds)} as given)`.execute(tx)
  return Number(done.numAffectedRows ?? 0n)
}

function rowsOf(db: Queries, chatIds: readonly string[]) {
  return dialectOf(db).rowsFrom(JSON.stringify(chatIds.map((chatId) => [chatId])), [['chat_id', 'text']])
}
