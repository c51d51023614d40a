/** Ends of keys that webhooks are told of: how far a project has heard, and the limits that were reached on which day. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const ends = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const THREE_DAYS_MS = 259_200_000

const statements = ({ bigint, integer, clusteredTable }: Dialect): string[] => [
  `alter table projects add column expiring_lead ${bigint} not null default ${THREE_DAYS_MS}`,
  `create table expiry_watches (
    project_id text not null references projects (id) on delete cascade,
    type text not null,
    done_to ${bigint} not null,
    done_seq ${bigint} not null,
    primary key (project_id, type)
  ) ${clusteredTable}`,
  `create table limit_notices (
    user_seq ${bigint} not null references users (seq) on delete cascade,
    kind text not null,
    day ${integer} not null,
    primary key (user_seq, kind)
  ) ${clusteredTable}`,
  // Keys that are made together often end together; they are told of in the order of their numbers.
  'drop index users_expiring',
  'create index users_expiring on users (project_id, key_expires, seq) where key_expires is not null',
]
