/** What else must know of users whose ends are told of: who is deleted when their key expires is told of before. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether the project's webhooks were told of the end of the user `u`, or nobody is to hear of it. */
export const isEndAnnounced = (): RawBuilder<SqlBool> =>
  sql`not exists (select 1 from expiry_watches as w where w.project_id = u.project_id
    and w.type = 'user.expired' and (u.key_expires, u.seq) > (w.done_to, w.done_seq))`
