/** What keeps lists, filters and counts quick in a project of a million users. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const lists = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const dialect = dialectOf(db)
    for (const statement of [...indexes, ...status(dialect)]) await sql.raw(statement).execute(db)
  },
}

const indexes = [
  // The members that the list is filtered by are in it, so that rows are read only where they match.
  'create index denials_listed on denials (project_id, last_at, seq, reason, script_id, executor)',
  'create index execution_marks_user on execution_marks (user_key, seq) where user_key is not null',
]

/** Most users of a large project are unused or in use; rows of the others are written once here. */
const status = ({ integer, standing }: Dialect): string[] => [
  `alter table users add column standing ${integer} not null default 1`,
  `update users set standing = 0
    where executions > 0 or fingerprint_assigned = 1 or chat_id is not null`,
  `update users set standing = 2 where executions = 0 and ad_system_id is not null and exists (
    select 1 from ad_keys
    where ad_keys.project_id = users.project_id and ad_keys.user_key = users.key and locked_network is not null)`,
  ...standing,
  // In the order of lists, with all that tells a status, so that no row is read to find or count those with one.
  `create index users_standing
    on users (project_id, seq, standing, blacklisted, blacklist_expires, key_expires, change)`,
  'drop index users_project',
  'drop index users_earned',
]
