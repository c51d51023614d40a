/**
 * The first schema. A migration never changes once it is released; what comes later is another migration.
 * Tables of ad systems are in `0001-initial-ads.ts`.
 */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'
import { adSystems, adVisitors, adVisits } from './0001-initial-ads.ts'

export const initial = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const dialect = dialectOf(db)
    const tables = [
      ...[accounts, quotas, projects, webhooks, scripts, users],
      ...[devices, executions, denials],
      ...[adSystems, adVisitors, adVisits],
    ]
    const statements = [...tables.flatMap((of) => of(dialect)), ...dialect.trigrams.create]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const accounts = ({ integer, bigint, double, seq, table }: Dialect): string[] => [
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
]

const quotas = ({ integer, bigint, bytes, table }: Dialect): string[] => [
  `create table waiting_api_keys (
    customer_id text not null primary key references customers (id) on delete cascade,
    api_key_hash text not null,
    sealed ${bytes} not null,
    created_at ${bigint} not null,
    mail_at ${bigint} not null,
    attempts ${integer} not null default 0
  ) ${table}`,
  'create index waiting_api_keys_mail on waiting_api_keys (mail_at)',
  `create table obfuscation_reservations (
    id text not null primary key,
    customer_id text not null references customers (id) on delete cascade,
    month ${integer} not null,
    from_bonus ${integer} not null,
    reserved_at ${bigint} not null
  ) ${table}`,
  'create index obfuscation_reservations_customer on obfuscation_reservations (customer_id)',
  'create index obfuscation_reservations_reserved on obfuscation_reservations (reserved_at)',
  `create table idempotency_keys (
    customer_id text not null,
    key text not null,
    request_hash text not null,
    claim text not null,
    created_at ${bigint} not null,
    status ${integer},
    content_type text,
    body ${bytes},
    size ${integer} not null default 0,
    primary key (customer_id, key)
  ) ${table}`,
  'create index idempotency_keys_created on idempotency_keys (created_at)',
  'create index idempotency_keys_held on idempotency_keys (customer_id, created_at, size)',
]

const projects = ({ integer, bigint, seq, table }: Dialect): string[] => [
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
    support_url text,
    require_chat ${integer} not null,
    require_join_chat_server ${integer} not null,
    total_executions ${bigint} not null default 0,
    created_at ${bigint} not null,
    total_users ${bigint} not null default 0,
    allow_checks ${integer} not null default 0,
    guests_need_device ${integer} not null default 0,
    ad_users ${bigint} not null default 0
  ) ${table}`,
  'create index projects_customer on projects (customer_id, seq)',
  `create table chat_members (
    seq ${seq},
    project_id text not null references projects (id) on delete cascade,
    chat_id text not null,
    added_at ${bigint} not null,
    unique (project_id, chat_id)
  ) ${table}`,
  'create index chat_members_project on chat_members (project_id, seq)',
]

const webhooks = ({ integer, bigint, double, seq, table }: Dialect): string[] => [
  `create table webhooks (
    seq ${seq},
    project_id text not null references projects (id) on delete cascade,
    kind text not null,
    held_until ${bigint} not null default 0,
    failures ${integer} not null default 0,
    failing_since ${bigint},
    paused_at ${bigint},
    pause_reason text,
    unique (project_id, kind)
  ) ${table}`,
  `create table outbox (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    kind text not null,
    type text not null,
    data text not null,
    state text not null,
    created_at ${bigint} not null,
    queued_at ${bigint} not null,
    attempts ${integer} not null,
    due_at ${bigint}
  ) ${table}`,
  'create index outbox_due on outbox (project_id, kind, due_at) where due_at is not null',
  'create index outbox_project on outbox (project_id, seq)',
  `create table webhook_deliveries (
    seq ${seq},
    event_id text not null references outbox (id) on delete cascade,
    attempted_at ${bigint} not null,
    duration_ms ${double} not null,
    address text not null,
    status ${integer},
    answer text,
    error text
  ) ${table}`,
  'create index webhook_deliveries_event on webhook_deliveries (event_id, seq)',
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
    enabled ${integer} not null default 1,
    version ${integer} not null,
    total_executions ${bigint} not null default 0,
    created_at ${bigint} not null,
    options text not null default '{}'
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
    slots text not null default '[]',
    locks text not null default '[]',
    options text not null default '{}',
    test_script ${bytes},
    service_key ${bytes},
    data ${bytes},
    data_size ${integer},
    data_at ${integer},
    interpreter text,
    unique (script_id, version)
  ) ${table}`,
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
]

const users = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table users (
    seq ${seq},
    key text not null,
    customer_id text not null,
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
    fingerprint_display text,
    change ${bigint},
    unique (key, customer_id),
    unique (project_id, key)
  ) ${table}`,
  'create index users_project on users (project_id, seq, change)',
  'create unique index users_chat on users (project_id, chat_id) where chat_id is not null',
  'create index users_expiring on users (project_id, key_expires) where key_expires is not null',
  `create index users_blacklist_ending on users (blacklist_expires)
    where blacklist_expires is not null`,
  // Without `executions`, which every execution changes: PostgreSQL would then write every index of the row each time.
  // The columns of the condition are in the index too, or SQLite's planner would not choose it.
  `create index users_unbound on users (project_id, fingerprint_assigned, chat_id, executor)
    where fingerprint_assigned = 0 and chat_id is null`,
  'create index users_from_ads on users (project_id, ad_system_id) where ad_system_id is not null',
  `create index users_blacklisted on users (project_id, blacklisted, blacklist_expires)
    where blacklisted = 1`,
  // For the members of the filter. Rows without a member are not in its index, so a project that does not use it pays nothing.
  'create index users_note on users (project_id, note, seq) where note is not null',
  'create index users_executor on users (project_id, executor, seq) where executor is not null',
  `create index users_blacklist_reason on users (project_id, blacklist_reason, seq)
    where blacklist_reason is not null`,
  'create index users_banned on users (project_id, seq) where blacklisted = 1',
  'create index users_fingerprint on users (project_id, fingerprint_assigned, seq)',
  'create index users_with_expiry on users (project_id, seq) where key_expires is not null',
  'create index users_without_expiry on users (project_id, seq) where key_expires is null',
]

const devices = ({ integer, bigint, clusteredTable }: Dialect): string[] => [
  `create table user_fingerprints (
    user_key text not null,
    project_id text not null,
    component text not null,
    strength ${integer} not null,
    hash text not null,
    primary key (project_id, user_key, component, hash),
    foreign key (project_id, user_key) references users (project_id, key) on delete cascade
  ) ${clusteredTable}`,
  'create index user_fingerprints_hash on user_fingerprints (project_id, hash)',
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

const executions = ({ integer, bigint, bytes, seq, table, clusteredTable }: Dialect): string[] => [
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
    kick text
  ) ${table}`,
  'create index instances_script on instances (script_id)',
  'create index instances_project on instances (project_id, user_key)',
  'create index instances_expires on instances (expires_at)',
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
]
