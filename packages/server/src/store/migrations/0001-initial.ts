/** The first schema. A migration never changes once it is released; what comes later is another migration. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../dialect.ts'

export const initial = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const dialect = dialectOf(db)
    const statements = [...owners(dialect), ...scripts(dialect), ...users(dialect), ...executions(dialect)]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const owners = ({ integer, bigint, double, seq, table }: Dialect) => [
  `create table tiers (
    id ${integer} not null primary key,
    name text not null,
    max_users ${bigint} not null,
    max_projects ${bigint} not null,
    max_scripts ${bigint} not null,
    free_for_all ${bigint} not null,
    obfuscations ${bigint} not null,
    price ${double} not null,
    max_ad_users ${bigint} not null,
    max_checkpoints ${bigint} not null,
    max_systems ${bigint} not null
  ) ${table}`,
  `create table customers (
    seq ${seq},
    id text not null unique,
    api_key_hash text not null unique,
    api_key_start text not null,
    email text not null unique,
    chat_id text,
    tier ${integer} not null references tiers (id),
    plan_expires ${bigint} not null,
    created_at ${bigint} not null,
    obfuscations_used ${integer} not null default 0,
    obfuscations_month ${integer} not null default 0,
    bonus_obfuscations_left ${integer} not null default 0,
    admin ${integer} not null default 0,
    verified ${integer} not null default 0,
    blacklisted ${integer} not null default 0,
    blacklist_reason text,
    blacklist_expires ${bigint},
    total_executions ${bigint} not null default 0
  ) ${table}`,
  `create table projects (
    seq ${seq},
    id text not null unique,
    customer_id text not null references customers (id),
    name text not null,
    fingerprint_reset_cooldown ${bigint} not null,
    allow_fingerprint_resets ${integer} not null,
    delete_expired_users ${integer} not null,
    execution_webhook text,
    information_webhook text,
    blacklist_webhook text,
    require_chat ${integer} not null,
    require_join_chat_server ${integer} not null,
    total_executions ${bigint} not null default 0,
    created_at ${bigint} not null
  ) ${table}`,
  'create index projects_customer on projects (customer_id, seq)',
]

const scripts = ({ integer, bigint, double, bytes, seq, table }: Dialect) => [
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
    enabled ${integer} not null default 1,
    version ${integer} not null,
    total_executions ${bigint} not null default 0,
    created_at ${bigint} not null
  ) ${table}`,
  'create index scripts_project on scripts (project_id, seq)',
  `create table script_versions (
    seq ${seq},
    script_id text not null references scripts (id) on delete cascade,
    version ${integer} not null,
    preset text not null,
    created_at ${bigint} not null,
    source ${bytes} not null,
    source_bytes ${integer} not null,
    payload ${bytes} not null,
    payload_size ${integer} not null,
    report text not null,
    duration_ms ${double} not null,
    unique (script_id, version)
  ) ${table}`,
]

const users = ({ integer, bigint, seq, table, clusteredTable }: Dialect) => [
  `create table users (
    seq ${seq},
    key text not null unique,
    project_id text not null references projects (id) on delete cascade,
    chat_id text,
    executor text,
    executions ${bigint} not null default 0,
    key_expires ${bigint},
    created_at ${bigint} not null,
    last_reset ${bigint} not null default 0,
    total_fingerprint_resets ${integer} not null default 0,
    note text,
    blacklisted ${integer} not null default 0,
    blacklist_reason text,
    blacklist_expires ${bigint},
    max_instances ${bigint},
    max_executions ${bigint},
    use_fingerprint ${integer} not null default 1,
    ad_system_id text,
    fingerprint_assigned ${integer} not null default 0,
    fingerprint_display text
  ) ${table}`,
  'create index users_project on users (project_id, seq)',
  'create unique index users_chat on users (project_id, chat_id) where chat_id is not null',
  `create table user_fingerprints (
    user_key text not null references users (key) on delete cascade,
    project_id text not null,
    component text not null,
    strength ${integer} not null,
    hash text not null,
    primary key (user_key, component, hash)
  ) ${clusteredTable}`,
  'create index user_fingerprints_hash on user_fingerprints (project_id, hash)',
]

const executions = ({ integer, bigint, seq, table, clusteredTable }: Dialect) => [
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
  `create table daily_executions (
    script_id text not null references scripts (id) on delete cascade,
    day ${integer} not null,
    executor text not null,
    project_id text not null,
    customer_id text not null,
    count ${bigint} not null,
    primary key (script_id, day, executor)
  ) ${clusteredTable}`,
  'create index daily_executions_project on daily_executions (project_id, day)',
  'create index daily_executions_customer on daily_executions (customer_id, day)',
  `create table instances (
    seq ${seq},
    exec text not null unique,
    project_id text not null,
    script_id text not null references scripts (id) on delete cascade,
    user_key text references users (key) on delete cascade,
    device text,
    script_version ${integer} not null,
    executor text not null,
    runtime text not null,
    game_user_id text,
    place_id text,
    job_id text,
    granted_at ${bigint} not null,
    last_seen ${bigint} not null,
    expires_at ${bigint} not null
  ) ${table}`,
  'create index instances_user on instances (user_key)',
  'create index instances_script on instances (script_id)',
  'create index instances_expires on instances (expires_at)',
]
