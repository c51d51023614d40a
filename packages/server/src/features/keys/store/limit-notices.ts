/** All queries on the `limit_notices` table. */
import { type Insertable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { LimitNoticesTable } from '../../../database/schema/end-tables.ts'
import { hasSubscriber } from '../../webhooks/store/outbox.ts'

/**
 * Records that a user reached a limit on a day. Returns false if this is already recorded for that day, or if
 * no endpoint subscribes.
 */
export const noteLimit = async (
  tx: Queries,
  projectId: string,
  { user_seq, kind, day }: Insertable<LimitNoticesTable>,
): Promise<boolean> => {
  const heard = hasSubscriber({ type: 'user.limit_reached', kind: 'information' })
  const { numAffectedRows } = await sql`insert into limit_notices (user_seq, kind, day)
    select cast(${user_seq} as bigint), cast(${kind} as text), cast(${day} as integer)
    from projects as p where p.id = ${projectId} and ${heard}
    on conflict (user_seq, kind) do update set day = excluded.day where limit_notices.day < excluded.day`.execute(
    tx,
  )
  return (numAffectedRows ?? 0n) > 0n
}
