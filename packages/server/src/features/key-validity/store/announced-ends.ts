/** Prevents a user from being deleted before their expiry has been announced. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * A condition that is true if the expiry of user `u` has been announced, or if no endpoint subscribes to it.
 */
export const isEndAnnounced = (): RawBuilder<SqlBool> =>
  sql`not exists (select 1 from expiry_watches as w where w.project_id = u.project_id
    and w.type = 'user.expired' and (u.key_expires, u.seq) > (w.done_to, w.done_seq))`
