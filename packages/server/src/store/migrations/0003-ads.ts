/** Ad systems, their ordered checkpoints, and the checkpoint that is prepared next. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../dialect.ts'

export const ads = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ integer, bigint, bytes, seq, table, clusteredTable }: Dialect) => [
  `create table ad_systems (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    name text not null,
    url text,
    key_duration ${bigint} not null,
    max_keys ${integer} not null,
    allow_extending ${integer} not null,
    max_duration ${bigint} not null,
    created_at ${bigint} not null,
    total_keys ${bigint} not null default 0,
    total_completions ${bigint} not null default 0
  ) ${table}`,
  'create index ad_systems_project on ad_systems (project_id)',
  'create unique index ad_systems_url on ad_systems (lower(url))',
  // No unique index over the order: engines check it row by row, and a swap passes through a double.
  `create table ad_checkpoints (
    seq ${seq},
    id text not null unique,
    system_id text not null references ad_systems (id) on delete cascade,
    "index" ${integer} not null,
    name text not null,
    url text not null,
    provider text not null,
    provider_data ${bytes} not null,
    callback_id text not null unique,
    postback_id text not null unique,
    created_at ${bigint} not null,
    total_started ${bigint} not null default 0,
    total_completed ${bigint} not null default 0
  ) ${table}`,
  'create index ad_checkpoints_system on ad_checkpoints (system_id, "index")',
  `create table ad_slots (
    system_id text not null primary key references ad_systems (id) on delete cascade,
    checkpoint_id text not null,
    callback_id text not null,
    postback_id text not null,
    expires_at ${bigint} not null
  ) ${clusteredTable}`,
]
