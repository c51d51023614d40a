/** Indexes of lists that pages show. */
import { type Kysely, sql } from 'kysely'

export const lists = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of indexes) await sql.raw(statement).execute(db)
  },
}

const indexes = [
  // The members that the list is filtered by are in it, so that rows are read only where they match.
  'create index denials_listed on denials (project_id, last_at, seq, reason, script_id, executor)',
  'create index execution_marks_user on execution_marks (user_key, seq) where user_key is not null',
]
