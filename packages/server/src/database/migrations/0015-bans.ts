/** Bans of devices, networks and chat accounts; and where keys are used, for bans of their networks and to tell shared ones. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const bans = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const dialect = dialectOf(db)
    for (const statement of [...banned(dialect), ...uses(dialect)]) await sql.raw(statement).execute(db)
  },
}

const banned = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `alter table projects add column bans ${integer} not null default 0`,
  'alter table instances add column address text',
  'alter table instances add column devices text',
  `create table bans (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    kind text not null,
    value text not null,
    user_key text,
    reason text,
    expires ${bigint},
    created_at ${bigint} not null
  ) ${table}`,
  'create index bans_project on bans (project_id, seq)',
  'create index bans_kind on bans (project_id, kind, seq)',
  'create index bans_ending on bans (expires) where expires is not null',
  `create table ban_names (
    project_id text not null,
    name text not null,
    ban ${bigint} not null references bans (seq) on delete cascade,
    primary key (project_id, name, ban)
  ) ${clusteredTable}`,
  'create index ban_names_ban on ban_names (ban)',
]

const uses = ({ integer, bigint, table, clusteredTable }: Dialect): string[] => [
  `alter table projects add column share_threshold ${integer} not null default 6`,
  `create table user_networks (
    user_seq ${bigint} not null primary key references users (seq) on delete cascade,
    project_id text not null,
    network text,
    networks ${integer} not null default 0,
    refused_devices ${integer} not null default 0,
    seen_at ${bigint} not null,
    reported_at ${bigint}
  ) ${table}`,
  'create index user_networks_within on user_networks (project_id, network)',
  // Few keys are used in several networks, so that lists of shared ones look through few entries.
  'create index user_networks_several on user_networks (project_id, user_seq, networks) where networks > 1',
  'create index user_networks_seen on user_networks (seen_at)',
  `create table user_network_marks (
    user_seq ${bigint} not null references user_networks (user_seq) on delete cascade,
    kind text not null,
    hash text not null,
    seen_at ${bigint} not null,
    primary key (user_seq, kind, hash)
  ) ${clusteredTable}`,
  'create index user_network_marks_seen on user_network_marks (seen_at)',
]
