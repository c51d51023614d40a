/** Tables for accounts, their users, and the audit log. */
import type { Dialect } from '../engine/dialect.ts'

export const accessTables = (dialect: Dialect): string[] => [
  ...accounts(dialect),
  ...quotas(dialect),
  ...people(dialect),
  ...members(dialect),
  ...tokens(dialect),
  ...signIns(dialect),
  ...mails(dialect),
  ...audit(dialect),
]

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
    max_systems ${bigint} not null,
    max_calls ${bigint} not null default 60,
    log_days ${bigint} not null default 30
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
    total_executions ${bigint} not null default 0,
    previous_api_key_hash text,
    previous_api_key_until ${bigint},
    allow_path_key ${integer} not null default 1,
    path_key_used_at ${bigint}
  ) ${table}`,
  'create unique index customers_previous_key on customers (previous_api_key_hash)',
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
    sender text not null default '',
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
  'create index idempotency_keys_held on idempotency_keys (customer_id, created_at, size, sender)',
]

const people = ({ integer, bigint, bytes, seq, table }: Dialect): string[] => [
  `create table people (
    seq ${seq},
    id text not null unique,
    email text not null unique,
    name text not null,
    language text,
    password_hash text,
    totp_secret ${bytes},
    totp_step ${bigint} not null default 0,
    disabled ${integer} not null default 0,
    created_at ${bigint} not null,
    last_sign_in_at ${bigint}
  ) ${table}`,
  `create table passkeys (
    seq ${seq},
    id text not null unique,
    person_id text not null references people (id) on delete cascade,
    credential_id text not null unique,
    public_key ${bytes} not null,
    counter ${bigint} not null,
    transports text not null,
    name text not null,
    created_at ${bigint} not null,
    last_used_at ${bigint}
  ) ${table}`,
  'create index passkeys_person on passkeys (person_id, seq)',
  `create table recovery_codes (
    person_id text not null references people (id) on delete cascade,
    hash text not null,
    primary key (person_id, hash)
  ) ${table}`,
]

const members = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table members (
    seq ${seq},
    id text not null unique,
    customer_id text not null references customers (id) on delete cascade,
    person_id text not null references people (id) on delete cascade,
    role text not null,
    scopes text not null default '[]',
    projects text,
    max_keys ${integer},
    created_at ${bigint} not null,
    protected_until ${bigint},
    unique (customer_id, person_id)
  ) ${table}`,
  'create index members_person on members (person_id, seq)',
  `create table invitations (
    seq ${seq},
    id text not null unique,
    customer_id text not null references customers (id) on delete cascade,
    email text not null,
    role text not null,
    scopes text not null default '[]',
    projects text,
    max_keys ${integer},
    hash text not null unique,
    invited_by text not null,
    created_at ${bigint} not null,
    expires_at ${bigint} not null,
    unique (customer_id, email)
  ) ${table}`,
  'create index invitations_expires on invitations (expires_at)',
]

const tokens = ({ bigint, seq, table }: Dialect): string[] => [
  `create table tokens (
    seq ${seq},
    id text not null unique,
    customer_id text not null references customers (id) on delete cascade,
    name text not null,
    hash text not null unique,
    start text not null,
    previous_hash text unique,
    previous_until ${bigint},
    scopes text not null,
    projects text,
    networks text,
    expires_at ${bigint},
    created_at ${bigint} not null,
    created_by text,
    last_used_at ${bigint},
    last_used_network text
  ) ${table}`,
  'create index tokens_customer on tokens (customer_id, seq)',
]

const signIns = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table sign_ins (
    seq ${seq},
    id text not null unique,
    hash text not null unique,
    person_id text not null references people (id) on delete cascade,
    customer_id text references customers (id) on delete set null,
    created_at ${bigint} not null,
    proved_at ${bigint} not null,
    last_used_at ${bigint} not null,
    network text not null,
    browser text not null
  ) ${table}`,
  'create index sign_ins_person on sign_ins (person_id, seq)',
  'create index sign_ins_customer on sign_ins (customer_id)',
  'create index sign_ins_used on sign_ins (last_used_at)',
  `create table known_browsers (
    person_id text not null references people (id) on delete cascade,
    hash text not null,
    last_used_at ${bigint} not null,
    primary key (person_id, hash)
  ) ${table}`,
  'create index known_browsers_used on known_browsers (last_used_at)',
  `create table single_uses (
    hash text not null primary key,
    purpose text not null,
    person_id text references people (id) on delete cascade,
    customer_id text references customers (id) on delete cascade,
    data text,
    tries ${integer} not null default 0,
    created_at ${bigint} not null,
    expires_at ${bigint} not null
  ) ${table}`,
  'create index single_uses_expires on single_uses (expires_at)',
  'create index single_uses_person on single_uses (person_id)',
  'create index single_uses_customer on single_uses (customer_id)',
]

const mails = ({ integer, bigint, bytes, seq, table }: Dialect): string[] => [
  `create table waiting_mails (
    seq ${seq},
    id text not null unique,
    sealed ${bytes} not null,
    created_at ${bigint} not null,
    mail_at ${bigint} not null,
    attempts ${integer} not null default 0
  ) ${table}`,
  'create index waiting_mails_due on waiting_mails (mail_at)',
  'create index waiting_mails_created on waiting_mails (created_at)',
]

const audit = ({ integer, bigint, seq, table, clusteredTable }: Dialect): string[] => [
  `create table audit_entries (
    seq ${seq},
    id text not null unique,
    customer_id text not null,
    created_at ${bigint} not null,
    actor_kind text not null,
    actor_id text,
    actor_name text not null,
    network text,
    request_id text not null,
    action text not null,
    nouns text not null,
    changes text not null,
    count ${bigint},
    n ${bigint},
    hash text,
    seal text not null,
    unique (customer_id, n)
  ) ${table}`,
  'create index audit_entries_created on audit_entries (customer_id, created_at, seq)',
  'create index audit_entries_actor on audit_entries (customer_id, coalesce(actor_id, actor_kind), created_at, seq)',
  'create index audit_entries_action on audit_entries (customer_id, action, created_at, seq)',
  'create index audit_entries_unchained on audit_entries (customer_id, seq) where hash is null',
  `create table audit_nouns (
    customer_id text not null,
    noun text not null,
    created_at ${bigint} not null,
    seq ${bigint} not null references audit_entries (seq) on delete cascade,
    primary key (customer_id, noun, created_at, seq)
  ) ${clusteredTable}`,
  'create index audit_nouns_entry on audit_nouns (seq)',
  `create table audit_chains (
    customer_id text not null primary key,
    cut_n ${bigint} not null,
    cut_hash text not null,
    head_n ${bigint} not null,
    head_hash text not null,
    seal text
  ) ${table}`,
  `create table audit_register (
        id ${integer} not null primary key,
        chains ${bigint} not null,
        entries ${bigint} not null,
        seal text not null
      ) ${table}`,
]
