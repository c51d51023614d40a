/** Who is in the chat server of a project, as its bot says. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const chatMembers = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { bigint, seq, table } = dialectOf(db)
    const statements = [
      `create table chat_members (
        seq ${seq},
        project_id text not null references projects (id) on delete cascade,
        chat_id text not null,
        added_at ${bigint} not null,
        unique (project_id, chat_id)
      ) ${table}`,
      'create index chat_members_project on chat_members (project_id, seq)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
