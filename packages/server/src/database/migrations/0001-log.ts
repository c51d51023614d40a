/** The log of executions. */
import type { Dialect } from '../engine/dialect.ts'

export const logTables = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `create table execution_log (
    seq ${seq},
    project_id text not null,
    script_id text not null,
    script_version ${integer} not null,
    at ${bigint} not null,
    outcome text not null,
    reason text,
    value text,
    left_out ${integer} not null default 0,
    exec text not null,
    user_key text,
    device text,
    executor text not null,
    runtime text not null,
    ended_at ${bigint},
    ending text
  ) ${table}`,
  // Both indexes include the columns that a scan compares, so that it reads only the index.
  'create index execution_log_project on execution_log (project_id, at, seq, script_id, outcome, executor)',
  'create index execution_log_version on execution_log (script_id, script_version, at, seq, outcome, executor)',
  'create index execution_log_user on execution_log (project_id, user_key, at, seq) where user_key is not null',
  "create index execution_log_failed on execution_log (project_id, outcome, at, seq) where outcome <> 'granted'",
  `create table version_health (
    script_id text not null,
    version ${integer} not null,
    executor text not null,
    day ${integer} not null,
    runs ${bigint} not null default 0,
    crashed ${bigint} not null default 0,
    vanished ${bigint} not null default 0,
    denied ${bigint} not null default 0,
    customers ${bigint} not null default 0,
    crashed_customers ${bigint} not null default 0,
    primary key (script_id, version, executor, day)
  ) ${clusteredTable}`,
  `create table version_customers (
    script_id text not null,
    version ${integer} not null,
    executor text not null,
    customer text not null,
    crashed ${integer} not null default 0,
    primary key (script_id, version, executor, customer)
  ) ${clusteredTable}`,
  `create table health_progress (
    id ${integer} not null primary key check (id = 1),
    counted ${bigint} not null
  ) ${table}`,
]
