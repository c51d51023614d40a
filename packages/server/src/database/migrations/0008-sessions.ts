/** Which process holds which session, for services of several processes. A process that is alone leaves both tables empty. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const sessions = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ integer, bigint, clusteredTable, table }: Dialect): string[] => [
  `create table processes (
    id text not null primary key,
    beat ${bigint} not null default 0,
    seen_at ${bigint} not null,
    ended ${integer} not null default 0
  ) ${clusteredTable}`,
  // No reference to `instances`, which a beat would have to check. A beat changes no row and no index of this table.
  `create table sessions (
    exec text not null primary key,
    id text not null unique,
    process text not null,
    epoch ${bigint} not null,
    project_id text not null,
    script_id text not null,
    user_key text,
    created_at ${bigint} not null,
    detached ${integer} not null default 0
  ) ${table}`,
  'create index sessions_project on sessions (project_id, created_at, id)',
  'create index sessions_script on sessions (script_id, created_at, id)',
  'create index sessions_user on sessions (project_id, user_key, created_at, id) where user_key is not null',
  'create index sessions_process on sessions (process)',
]
