/** Tables for ad systems: their configuration and the progress of their visitors. */
import type { Dialect } from '../engine/dialect.ts'

export const adTables = (dialect: Dialect): string[] => [
  ...systems(dialect),
  ...checkpoints(dialect),
  ...visitors(dialect),
  ...attempts(dialect),
]

const systems = ({ integer, bigint, bytes, seq, table }: Dialect): string[] => [
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
  // The `index` column is not unique, because engines check uniqueness row by row and a swap creates a
  // temporary duplicate.
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
    total_completed ${bigint} not null default 0,
    fallback_checkpoint_id text,
    misconfigured_at ${bigint},
    misconfigured_told ${bigint},
    value_per_thousand ${integer}
  ) ${table}`,
  'create index ad_checkpoints_system on ad_checkpoints (system_id, "index")',
]

const checkpoints = ({ bigint, clusteredTable }: Dialect): string[] => [
  `create table ad_slots (
    system_id text not null primary key references ad_systems (id) on delete cascade,
    checkpoint_id text not null,
    callback_id text not null,
    postback_id text not null,
    expires_at ${bigint} not null
  ) ${clusteredTable}`,
  `create table ad_counts (
    checkpoint_id text not null references ad_checkpoints (id) on delete cascade,
    kind text not null,
    value text not null,
    count ${bigint} not null,
    primary key (checkpoint_id, kind, value)
  ) ${clusteredTable}`,
  `create table ad_checkpoint_days (
    checkpoint_id text not null references ad_checkpoints (id) on delete cascade,
    day ${bigint} not null,
    started ${bigint} not null,
    completed ${bigint} not null,
    refused ${bigint} not null,
    bypassed ${bigint} not null,
    primary key (checkpoint_id, day)
  ) ${clusteredTable}`,
  'create index ad_checkpoint_days_day on ad_checkpoint_days (day)',
  `create table ad_system_days (
    system_id text not null references ad_systems (id) on delete cascade,
    day ${bigint} not null,
    completions ${bigint} not null,
    keys ${bigint} not null,
    primary key (system_id, day)
  ) ${clusteredTable}`,
  'create index ad_system_days_day on ad_system_days (day)',
]

const visitors = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `create table ad_visitors (
    id_hash text not null primary key,
    first_seen ${bigint} not null,
    last_seen ${bigint} not null,
    network text not null,
    browser text not null,
    risk ${integer} not null default 0,
    failures ${integer} not null default 0,
    failures_since ${bigint} not null default 0,
    blocked_until ${bigint} not null default 0
  ) ${clusteredTable}`,
  'create index ad_visitors_seen on ad_visitors (last_seen)',
  'create index ad_visitors_network on ad_visitors (network, last_seen)',
  `create table ad_progress (
    seq ${seq},
    id text not null unique,
    system_id text not null references ad_systems (id) on delete cascade,
    visitor text not null,
    network text not null,
    device text,
    plan text not null,
    pos ${integer} not null default 0,
    verified ${integer} not null default 0,
    state text not null,
    notice text,
    started_at ${bigint} not null,
    expires_at ${bigint} not null,
    issued_at ${bigint},
    user_key text,
    extended ${integer} not null default 0
  ) ${table}`,
  'create index ad_progress_visitor on ad_progress (visitor, system_id, seq)',
  'create index ad_progress_system on ad_progress (system_id)',
  'create index ad_progress_starts on ad_progress (network, started_at)',
  'create index ad_progress_issued on ad_progress (network, issued_at)',
  'create index ad_progress_expires on ad_progress (expires_at)',
]

const attempts = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `create table ad_attempts (
    seq ${seq},
    progress_id text not null references ad_progress (id) on delete cascade,
    step_id text not null,
    checkpoint_id text not null,
    click_id text not null unique,
    state text not null,
    address text not null,
    started_at ${bigint} not null,
    returned_at ${bigint},
    postback_at ${bigint}
  ) ${table}`,
  'create index ad_attempts_progress on ad_attempts (progress_id, seq)',
  'create index ad_attempts_checkpoint on ad_attempts (checkpoint_id)',
  `create table ad_used_tokens (
    hash text not null primary key,
    used_at ${bigint} not null
  ) ${clusteredTable}`,
  'create index ad_used_tokens_at on ad_used_tokens (used_at)',
  `create table ad_keys (
    user_key text not null,
    project_id text not null,
    system_id text not null,
    visitor text not null,
    network text not null,
    browser text not null,
    device text,
    locked_network text,
    locked_until ${bigint},
    created_at ${bigint} not null,
    extended_count ${integer} not null default 0,
    primary key (project_id, user_key),
    foreign key (project_id, user_key) references users (project_id, key) on delete cascade
  ) ${clusteredTable}`,
  'create index ad_keys_visitor on ad_keys (visitor, system_id)',
  'create index ad_keys_device on ad_keys (device, system_id) where device is not null',
  'create index ad_keys_network on ad_keys (network, browser, system_id)',
]
