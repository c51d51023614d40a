/** Tables for errors reported by runs. */
import type { Dialect } from '../engine/dialect.ts'

export const errorTables = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `create table error_reports (
    seq ${seq},
    project_id text not null references projects (id) on delete cascade,
    script_id text not null references scripts (id) on delete cascade,
    script_version ${integer} not null,
    exec text not null,
    user_key text,
    executor text not null,
    runtime text not null,
    kind text not null,
    text text not null,
    at text not null,
    count ${integer} not null,
    tags text,
    reported_at ${bigint} not null,
    crashed_run_at ${bigint},
    device text
  ) ${table}`,
  'create index error_reports_script on error_reports (script_id)',
  'create index error_reports_project on error_reports (project_id)',
  `create table error_groups (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    script_id text not null references scripts (id) on delete cascade,
    fingerprint text not null,
    kind text not null,
    message text not null,
    place text,
    state text not null default 'open',
    note text,
    first_at ${bigint} not null,
    last_at ${bigint} not null,
    first_version ${integer} not null,
    last_version ${integer} not null,
    occurrences ${bigint} not null default 0,
    runs ${bigint} not null default 0,
    customers ${bigint} not null default 0,
    resolved_at ${bigint},
    resolved_in_version ${integer},
    regressed_at ${bigint},
    unique (script_id, fingerprint)
  ) ${table}`,
  // Contains every value that a list can be sorted by, so that sorting doesn't read rows.
  'create index error_groups_project on error_groups (project_id, state, last_at, seq, first_at, occurrences, customers)',
  'create index error_groups_last on error_groups (last_at)',
  `create table error_counts (
    error_id text not null references error_groups (id) on delete cascade,
    dimension text not null,
    value text not null,
    occurrences ${bigint} not null,
    primary key (error_id, dimension, value)
  ) ${clusteredTable}`,
  `create table error_users (
    error_id text not null references error_groups (id) on delete cascade,
    user_key text not null,
    occurrences ${bigint} not null,
    last_at ${bigint} not null,
    primary key (error_id, user_key)
  ) ${clusteredTable}`,
  'create index error_users_last on error_users (error_id, last_at, user_key)',
  `create table error_runs (
    error_id text not null references error_groups (id) on delete cascade,
    exec text not null,
    last_at ${bigint} not null,
    primary key (error_id, exec)
  ) ${clusteredTable}`,
  'create index error_runs_last on error_runs (last_at)',
  `create table error_samples (
    seq ${seq},
    error_id text not null references error_groups (id) on delete cascade,
    exec text not null,
    script_version ${integer} not null,
    user_key text,
    executor text not null,
    runtime text not null,
    kind text not null,
    text text not null,
    frames text not null,
    tags text,
    reported_at ${bigint} not null
  ) ${table}`,
  'create index error_samples_error on error_samples (error_id)',
]
