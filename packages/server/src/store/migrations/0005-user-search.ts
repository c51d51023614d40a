/**
 * What finds users by their members: an index for each member of the filter that may single out a few, and the one of
 * `trigrams.ts` for `search`. Triggers keep that one in step, because users change in many places.
 */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const userSearch = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of [...byMember, ...dialectOf(db).trigrams.create])
      await sql.raw(statement).execute(db)
  },
}

/** Rows without a member are not in its index, so that a project which does not use it pays nothing. */
const byMember = [
  'create index users_note on users (project_id, note, seq) where note is not null',
  'create index users_executor on users (project_id, executor, seq) where executor is not null',
  `create index users_blacklist_reason on users (project_id, blacklist_reason, seq)
    where blacklist_reason is not null`,
  'create index users_banned on users (project_id, seq) where blacklisted = 1',
  'create index users_fingerprint on users (project_id, fingerprint_assigned, seq)',
  'create index users_with_expiry on users (project_id, seq) where key_expires is not null',
  'create index users_without_expiry on users (project_id, seq) where key_expires is null',
]
