/** What versions send to chat channels, and how many messages of a script were sent or dropped. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const scriptMessages = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ bytes, bigint, clusteredTable }: Dialect): string[] => [
  `alter table script_versions add column messages ${bytes}`,
  `create table script_messages (
    script_id text not null references scripts (id) on delete cascade,
    outcome text not null,
    count ${bigint} not null,
    last_at ${bigint} not null,
    primary key (script_id, outcome)
  ) ${clusteredTable}`,
]
