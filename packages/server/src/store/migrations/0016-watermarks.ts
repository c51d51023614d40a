/**
 * Watermarks: the slots of each version, and which execution its code word was made for. Those rows outlive instances
 * by far, since a copy may turn up somewhere long after it was served.
 */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const watermarks = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer, bigint, seq, table } = dialectOf(db)
    const statements = [
      "alter table script_versions add column slots text not null default '[]'",
      `create table execution_marks (
        seq ${seq},
        script_id text not null references scripts (id) on delete cascade,
        script_version ${integer} not null,
        exec text not null,
        user_key text,
        executor text not null,
        granted_at ${bigint} not null
      ) ${table}`,
      'create index execution_marks_version on execution_marks (script_id, script_version, seq)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
