/** Tables for channels and releases. */
import type { Dialect } from '../engine/dialect.ts'

export const releaseTables = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `create table script_channels (
    script_id text not null references scripts (id) on delete cascade,
    name text not null,
    version ${integer} not null,
    tags text not null default '[]',
    plans text not null default '[]',
    created_at ${bigint} not null,
    primary key (script_id, name)
  ) ${clusteredTable}`,
  `create table releases (
    seq ${seq},
    id text not null unique,
    script_id text not null references scripts (id) on delete cascade,
    channel text not null,
    version ${integer} not null,
    version_before ${integer} not null,
    percent ${integer} not null,
    steps text not null,
    step_ms ${bigint} not null,
    next_at ${bigint},
    guard text not null,
    state text not null default 'running',
    held ${integer} not null default 0,
    salt text not null,
    started_at ${bigint} not null,
    ended_at ${bigint},
    looked_at ${integer} not null default 0,
    evidence text
  ) ${table}`,
  'create index releases_script on releases (script_id, seq)',
  "create unique index releases_open on releases (script_id, channel) where state in ('running', 'paused')",
  `create table release_customers (
    release_id text not null references releases (id) on delete cascade,
    fresh ${integer} not null,
    customer text not null,
    executor text not null,
    exec text not null,
    bad ${integer} not null default 0,
    primary key (release_id, fresh, customer)
  ) ${clusteredTable}`,
]
