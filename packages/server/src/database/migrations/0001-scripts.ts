/** Tables for scripts and their runs. */
import type { Dialect } from '../engine/dialect.ts'

export const scriptTables = (dialect: Dialect): string[] => [
  ...scripts(dialect),
  ...versions(dialect),
  ...executions(dialect),
  ...instances(dialect),
  ...sessions(dialect),
  ...denials(dialect),
  ...traces(dialect),
]

const scripts = ({ integer, bigint, double, bytes, seq, table }: Dialect): string[] => [
  `create table scripts (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    name text not null,
    free_for_all ${integer} not null,
    use_heartbeat ${integer} not null,
    kick_outdated ${integer} not null,
    require_sessions ${integer} not null,
    silent ${integer} not null,
    report_errors ${integer} not null default 1,
    enabled ${integer} not null default 1,
    version ${integer} not null,
    total_executions ${bigint} not null default 0,
    created_at ${bigint} not null,
    options text not null default '{}',
    disabled_message text,
    executor_rules text,
    staged_releases ${integer} not null default 1,
    staging text
  ) ${table}`,
  'create index scripts_project on scripts (project_id, seq)',
  `create table script_versions (
    seq ${seq},
    script_id text not null references scripts (id) on delete cascade,
    version ${integer} not null,
    preset text not null,
    created_at ${bigint} not null,
    notes text,
    notes_public ${integer} not null default 0,
    author text,
    yanked_at ${bigint},
    source ${bytes} not null,
    source_bytes ${integer} not null,
    payload ${bytes} not null,
    payload_size ${integer} not null,
    report text not null,
    duration_ms ${double} not null,
    slots text not null default '[]',
    locks text not null default '[]',
    options text not null default '{}',
    test_script ${bytes},
    service_key ${bytes},
    data ${bytes},
    data_size ${integer},
    data_at ${integer},
    interpreter text,
    messages ${bytes},
    files ${bytes},
    unique (script_id, version)
  ) ${table}`,
  'create index script_versions_public on script_versions (script_id, version) where notes_public = 1',
]

const versions = ({ integer, bigint, double, bytes, table, clusteredTable }: Dialect): string[] => [
  // Line maps are in a separate table, so that executions never read them.
  `create table line_maps (
    script_id text not null references scripts (id) on delete cascade,
    version ${integer} not null,
    map ${bytes} not null,
    primary key (script_id, version)
  ) ${table}`,
  `create table script_activations (
    script_id text not null references scripts (id) on delete cascade,
    activated_at ${bigint} not null,
    version ${integer} not null,
    primary key (script_id, activated_at)
  ) ${clusteredTable}`,
  `create table script_messages (
    script_id text not null references scripts (id) on delete cascade,
    outcome text not null,
    count ${bigint} not null,
    last_at ${bigint} not null,
    primary key (script_id, outcome)
  ) ${clusteredTable}`,
  `create table server_functions (
    script_id text not null references scripts (id) on delete cascade,
    version ${integer} not null default 0,
    name text not null,
    number ${integer},
    kind text not null default 'function',
    place text,
    source ${bytes} not null,
    source_bytes ${integer} not null,
    created_at ${bigint} not null,
    updated_at ${bigint} not null,
    calls ${bigint} not null default 0,
    failures ${bigint} not null default 0,
    cpu_ms ${double} not null default 0,
    last_problem text,
    last_failed_at ${bigint},
    reported_at ${bigint},
    primary key (script_id, version, name)
  ) ${table}`,
]

const executions = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `create table daily_executions (
    script_id text not null references scripts (id) on delete cascade,
    day ${integer} not null,
    executor text not null,
    project_id text not null,
    customer_id text not null,
    count ${bigint} not null,
    primary key (script_id, day, executor)
  ) ${clusteredTable}`,
  'create index daily_executions_day on daily_executions (day)',
  `create table outcomes (
    project_id text not null references projects (id) on delete cascade,
    script_id text not null,
    step text not null,
    at ${bigint} not null,
    outcome text not null,
    count ${bigint} not null,
    expires_at ${bigint} not null,
    primary key (project_id, script_id, step, at, outcome)
  ) ${clusteredTable}`,
  'create index outcomes_expires on outcomes (expires_at)',
  `create table execution_marks (
    seq ${seq},
    script_id text not null references scripts (id) on delete cascade,
    script_version ${integer} not null,
    exec text not null,
    holder text not null,
    user_key text,
    executor text not null,
    granted_at ${bigint} not null
  ) ${table}`,
  'create index execution_marks_version on execution_marks (script_id, script_version, seq)',
  'create index execution_marks_user on execution_marks (user_key, seq) where user_key is not null',
  `create table ffa_devices (
    project_id text not null references projects (id) on delete cascade,
    device text not null,
    customer_id text not null,
    script_id text references scripts (id) on delete set null,
    first_seen ${bigint} not null,
    primary key (project_id, device)
  ) ${clusteredTable}`,
  'create index ffa_devices_customer on ffa_devices (customer_id)',
  'create index ffa_devices_script on ffa_devices (script_id)',
]

const instances = ({ integer, bigint, bytes, seq, table }: Dialect): string[] => [
  `create table instances (
    seq ${seq},
    exec text not null unique,
    project_id text not null,
    script_id text not null,
    user_key text,
    device text,
    script_version ${integer} not null,
    executor text not null,
    runtime text not null,
    language text,
    game_user_id text,
    place_id text,
    job_id text,
    granted_at ${bigint} not null,
    last_seen ${bigint} not null,
    expires_at ${bigint} not null,
    secrets ${bytes},
    beat_n ${integer} not null default 0,
    beat_keys ${bytes},
    beat_body text,
    beat_reply text,
    variables_digest text,
    ws_required ${integer} not null default 0,
    ws_epoch ${bigint} not null default 0,
    ws_seen ${bigint},
    leased text,
    error_reports ${integer} not null default 0,
    probe text,
    kick text,
    address text,
    devices text
  ) ${table}`,
  'create index instances_script on instances (script_id)',
  'create index instances_project on instances (project_id, user_key)',
  'create index instances_expires on instances (expires_at)',
]

const sessions = ({ integer, bigint, table, clusteredTable }: Dialect): string[] => [
  `create table processes (
    id text not null primary key,
    beat ${bigint} not null default 0,
    seen_at ${bigint} not null,
    ended ${integer} not null default 0
  ) ${clusteredTable}`,
  // Doesn't reference `instances`, because every heartbeat would have to check the foreign key. Heartbeats
  // don't change any row or index of this table.
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

const traces = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table traces (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    script_id text not null references scripts (id) on delete cascade,
    actor_kind text not null,
    actor_id text,
    actor_name text not null,
    bytes ${integer} not null,
    sha256 text not null,
    summary text not null,
    result text not null,
    created_at ${bigint} not null
  ) ${table}`,
  'create index traces_project on traces (project_id, seq)',
  'create index traces_script on traces (script_id)',
]

const denials = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table denials (
    seq ${seq},
    project_id text not null references projects (id) on delete cascade,
    user_key text,
    script_id text not null,
    script_version ${integer} not null,
    reason text not null,
    value text,
    allowed_at ${bigint},
    ip text not null,
    fingerprint text not null,
    executor text not null,
    runtime text not null,
    count ${integer} not null default 1,
    left_out ${integer} not null default 0,
    first_at ${bigint} not null,
    last_at ${bigint} not null,
    foreign key (project_id, user_key) references users (project_id, key) on delete cascade
  ) ${table}`,
  'create index denials_project on denials (project_id, user_key, seq)',
  'create index denials_last on denials (last_at)',
  "create index denials_no_device on denials (project_id, executor) where reason = 'fingerprint_missing'",
  // Includes the fields that the list is filtered by, so that only matching rows are read.
  'create index denials_listed on denials (project_id, last_at, seq, reason, script_id, executor)',
]
