/** Executions that were denied, so that an author can say why. A repeated one is a number in the row of the first. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const denials = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer, bigint, seq, table } = dialectOf(db)
    const statements = [
      `create table denials (
        seq ${seq},
        project_id text not null references projects (id) on delete cascade,
        user_key text references users (key) on delete cascade,
        script_id text not null,
        script_version ${integer} not null,
        reason text not null,
        value text,
        allowed_at ${bigint},
        ip text not null,
        fingerprint text not null,
        executor text not null,
        runtime text not null,
        count ${integer} not null default 1,
        left_out ${integer} not null default 0,
        first_at ${bigint} not null,
        last_at ${bigint} not null
      ) ${table}`,
      'create index denials_user on denials (user_key, seq)',
      'create index denials_project on denials (project_id, user_key, seq)',
      'create index denials_last on denials (last_at)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
