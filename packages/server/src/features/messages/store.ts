/** All queries on the `script_messages` table, which counts a script's messages by outcome. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../database/engine/db.ts'
import type { ScriptMessagesTable } from '../../database/schema/version-tables.ts'

export type MessageCountRow = Selectable<ScriptMessagesTable>
export type MessageOutcome = MessageCountRow['outcome']

/** Adds to a script's counts. Does nothing if the script was removed. */
export const addMessageCount = async (
  tx: Queries,
  scriptId: string,
  { outcome, count, at }: { outcome: MessageOutcome; count: number; at: number },
): Promise<void> => {
  await sql`insert into script_messages (script_id, outcome, count, last_at)
    select id, cast(${outcome} as text), cast(${count} as bigint), cast(${at} as bigint) from scripts where id = ${scriptId}
    on conflict (script_id, outcome) do update
      set count = script_messages.count + excluded.count, last_at = excluded.last_at`.execute(tx)
}

export const listMessageCounts = (db: Queries, scriptId: string): Promise<MessageCountRow[]> =>
  db.selectFrom('script_messages').selectAll().where('script_id', '=', scriptId).orderBy('outcome').execute()
