/** Tables for projects: their settings, plans, bans and webhooks. */
import type { Dialect } from '../engine/dialect.ts'

export const projectTables = (dialect: Dialect): string[] => [
  ...projects(dialect),
  ...contents(dialect),
  ...savedViews(dialect),
  ...plans(dialect),
  ...bans(dialect),
  ...webhooks(dialect),
  ...deliveries(dialect),
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
    ad_users ${bigint} not null default 0,
    bans ${integer} not null default 0,
    share_threshold ${integer} not null default 6,
    expiring_lead ${bigint} not null default 259200000,
    content_revision ${bigint} not null default 0,
    key_format text
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

const contents = ({ integer, bigint, bytes, seq, table }: Dialect): string[] => [
  `create table branding (
    project_id text not null primary key references projects (id) on delete cascade,
    name text,
    accent text,
    links text not null default '[]',
    all_scripts ${integer} not null default 1,
    scripts text not null default '[]',
    logo ${bytes},
    logo_file text,
    logo_width ${integer},
    logo_height ${integer}
  ) ${table}`,
  'create index branding_logo_file on branding (logo_file) where logo_file is not null',
  `create table project_variables (
    project_id text not null primary key references projects (id) on delete cascade,
    version ${integer} not null,
    data text not null,
    updated_at ${bigint} not null
  ) ${table}`,
  `create table announcements (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    text text not null,
    level text not null,
    until ${bigint} not null,
    scripts text,
    keys text,
    users ${integer},
    created_at ${bigint} not null
  ) ${table}`,
  'create index announcements_project on announcements (project_id, seq)',
  'create index announcements_until on announcements (until)',
]

const savedViews = ({ bigint, clusteredTable }: Dialect): string[] => [
  `create table saved_views (
    project_id text not null references projects (id) on delete cascade,
    owner text not null,
    data text not null,
    updated_at ${bigint} not null,
    primary key (project_id, owner)
  ) ${clusteredTable}`,
]

const plans = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table plans (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    name text not null,
    clock_basis text not null,
    clock_duration ${bigint},
    grace ${bigint} not null default 0,
    max_instances ${integer},
    max_executions ${integer},
    quota_count ${integer},
    quota_period text,
    scripts text,
    features text not null default '{}',
    created_at ${bigint} not null,
    max_devices ${integer} not null default 1,
    device_match text not null default 'strict',
    resets_count ${integer},
    resets_period ${bigint},
    after_expiry text not null default 'deny',
    resellable ${integer} not null default 0,
    chat_role_id text
  ) ${table}`,
  'create unique index plans_name on plans (project_id, name)',
]

const bans = ({ bigint, seq, table, clusteredTable }: Dialect): string[] => [
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
  "create index bans_chat on bans (project_id, value) where kind = 'chat'",
  'create index bans_ending on bans (expires) where expires is not null',
  `create table ban_names (
    project_id text not null,
    name text not null,
    ban ${bigint} not null references bans (seq) on delete cascade,
    primary key (project_id, name, ban)
  ) ${clusteredTable}`,
  'create index ban_names_ban on ban_names (ban)',
]

const webhooks = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table webhooks (
    seq ${seq},
    project_id text not null references projects (id) on delete cascade,
    kind text not null,
    held_until ${bigint} not null default 0,
    failures ${integer} not null default 0,
    failing_since ${bigint},
    paused_at ${bigint},
    pause_reason text,
    name text,
    address text,
    secret text,
    old_secret text,
    old_secret_until ${bigint},
    events text,
    scripts text,
    enabled ${integer} not null default 1,
    delivered_at ${bigint},
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
    due_at ${bigint},
    event_id text,
    script_id text
  ) ${table}`,
  'create index outbox_due on outbox (project_id, kind, due_at) where due_at is not null',
  'create index outbox_project on outbox (project_id, seq)',
  'create index outbox_address on outbox (project_id, kind, seq)',
]

const deliveries = ({ integer, bigint, double, seq, table, clusteredTable }: Dialect): string[] => [
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
  `create table expiry_watches (
    project_id text not null references projects (id) on delete cascade,
    type text not null,
    done_to ${bigint} not null,
    done_seq ${bigint} not null,
    primary key (project_id, type)
  ) ${clusteredTable}`,
]
