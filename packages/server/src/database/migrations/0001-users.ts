/** Tables for users and bulk changes. */
import type { Dialect } from '../engine/dialect.ts'

export const userTables = (dialect: Dialect): string[] => [
  ...users(dialect),
  ...userIndexes(dialect),
  ...devices(dialect),
  ...uses(dialect),
  ...changes(dialect),
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
    issuer text,
    standing ${integer} not null default 1,
    plan_id text,
    starts_at ${bigint},
    clock_basis text,
    clock_duration ${bigint},
    clock_began ${bigint},
    clock_extra ${bigint} not null default 0,
    clock_waits ${integer} not null default 0,
    paused_at ${bigint},
    features text,
    first_used_at ${bigint},
    last_used_at ${bigint},
    last_used_day ${integer},
    quota_used ${integer} not null default 0,
    quota_until ${bigint},
    foreign_device text,
    max_devices ${integer},
    device_match text,
    own_resets ${integer} not null default 0,
    own_resets_until ${bigint},
    tags text,
    metadata text,
    metadata_labels text,
    issued_to text,
    issued_by text,
    issued_at ${bigint},
    private_note text,
    unique (key, customer_id),
    unique (project_id, key)
  ) ${table}`,
]

const userIndexes = ({ lower }: Dialect): string[] => [
  'create unique index users_chat on users (project_id, chat_id) where chat_id is not null',
  `create index users_blacklist_ending on users (blacklist_expires)
    where blacklist_expires is not null`,
  // Excludes `executions`, which every execution changes; otherwise, PostgreSQL would update every index of
  // the row each time. Includes the condition's columns, because SQLite's planner wouldn't choose the index
  // without them.
  `create index users_unbound on users (project_id, fingerprint_assigned, chat_id, executor)
    where fingerprint_assigned = 0 and chat_id is null`,
  'create index users_from_ads on users (project_id, ad_system_id) where ad_system_id is not null',
  `create index users_blacklisted on users (project_id, blacklisted, blacklist_expires)
    where blacklisted = 1`,
  // Indexes for filters. Rows without a value are not indexed, so unused fields cost nothing.
  'create index users_note on users (project_id, note, seq) where note is not null',
  'create index users_executor on users (project_id, executor, seq) where executor is not null',
  `create index users_blacklist_reason on users (project_id, blacklist_reason, seq)
    where blacklist_reason is not null`,
  'create index users_banned on users (project_id, seq) where blacklisted = 1',
  'create index users_fingerprint on users (project_id, fingerprint_assigned, seq)',
  'create index users_with_expiry on users (project_id, seq) where key_expires is not null',
  'create index users_without_expiry on users (project_id, seq) where key_expires is null',
  'create index users_issuer on users (issuer, project_id, seq) where issuer is not null',
  // Includes the change, which decides whether a user is visible, so that counting reads only the index.
  'create index users_created on users (project_id, created_at, seq, change)',
  'create index users_plan on users (plan_id, seq) where plan_id is not null',
  // Keys created together often expire together. Their events are sent in order of `seq`.
  'create index users_expiring on users (project_id, key_expires, seq) where key_expires is not null',
  // Sort orders for the user list.
  `create index users_note_order on users (project_id, ${lower('note')}, seq) where note is not null`,
  'create index users_last_used on users (project_id, last_used_day, seq) where last_used_day is not null',
  'create index users_issued_by on users (project_id, issued_by, seq) where issued_by is not null',
  // Follows the list order and includes the status, so that finding or counting users by status doesn't read
  // rows.
  `create index users_status on users (project_id, seq, standing, blacklisted, blacklist_expires, key_expires, change,
    paused_at, clock_waits, starts_at, plan_id, quota_used, quota_until, issued_at)`,
]

const devices = ({ integer, bigint, clusteredTable }: Dialect): string[] => [
  `create table user_devices (
    project_id text not null,
    user_key text not null,
    id text not null,
    name text,
    display text,
    bound_at ${bigint},
    last_used_at ${bigint},
    learned_at ${bigint},
    primary key (project_id, user_key, id),
    foreign key (project_id, user_key) references users (project_id, key) on delete cascade
  ) ${clusteredTable}`,
  `create table user_fingerprints (
    user_key text not null,
    project_id text not null,
    component text not null,
    strength ${integer} not null,
    hash text not null,
    device text not null default 'dev_first',
    primary key (project_id, user_key, component, hash),
    foreign key (project_id, user_key) references users (project_id, key) on delete cascade
  ) ${clusteredTable}`,
  'create index user_fingerprints_hash on user_fingerprints (project_id, hash)',
]

const uses = ({ integer, bigint, table, clusteredTable }: Dialect): string[] => [
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
  // Few keys are used from several networks, so listing shared keys scans few entries.
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
  `create table user_labels (
    project_id text not null,
    label text not null,
    user_seq ${bigint} not null references users (seq) on delete cascade,
    primary key (project_id, label, user_seq)
  ) ${clusteredTable}`,
  'create index user_labels_user on user_labels (user_seq)',
  `create table limit_notices (
    user_seq ${bigint} not null references users (seq) on delete cascade,
    kind text not null,
    day ${integer} not null,
    primary key (user_seq, kind)
  ) ${clusteredTable}`,
]

const changes = ({ bigint, seq, table }: Dialect): string[] => [
  // Doesn't reference `projects`, because deleted projects are restored from here.
  `create table changes (
    seq ${seq},
    id text not null unique,
    customer_id text not null references customers (id) on delete cascade,
    project_id text not null,
    project_name text not null,
    action text not null,
    details text not null default '{}',
    actor_kind text not null,
    actor_id text,
    actor_name text not null,
    created_at ${bigint} not null,
    touched_at ${bigint} not null,
    count ${bigint} not null default 0,
    samples text not null default '[]',
    state text not null,
    claim text,
    undone_at ${bigint},
    undone_by text,
    restored ${bigint} not null default 0,
    skipped ${bigint} not null default 0,
    skipped_entries text not null default '[]'
  ) ${table}`,
  'create index changes_customer on changes (customer_id, seq)',
  'create index changes_project on changes (project_id, seq)',
  'create index changes_created on changes (created_at)',
  // Changes are rarely in these states, so both indexes are nearly always empty. User queries use them to
  // find hidden users, and the unique index limits each account to one such change.
  "create index changes_hiding on changes (seq) where state in ('open', 'ended')",
  "create unique index changes_adding on changes (customer_id) where state in ('open', 'ended')",
  `create table trash (
    seq ${seq},
    change ${bigint} not null references changes (seq) on delete cascade,
    slice ${bigint} not null,
    kind text not null,
    user_key text,
    content text not null,
    after text
  ) ${table}`,
  'create index trash_change on trash (change, slice)',
  'create index trash_user on trash (user_key, change)',
  "create index trash_affected on trash (change, seq) where kind in ('users', 'change', 'added')",
]
