/** People, members, tokens, sign-ins and the audit log. An existing account goes on with its API key and has no people yet. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const access = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const dialect = dialectOf(db)
    const statements = [accounts, people, members, tokens, signIns, audit].flatMap((of) => of(dialect))
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const accounts = ({ integer, bigint }: Dialect): string[] => [
  'alter table customers add column previous_api_key_hash text',
  `alter table customers add column previous_api_key_until ${bigint}`,
  `alter table customers add column allow_path_key ${integer} not null default 1`,
  `alter table customers add column path_key_used_at ${bigint}`,
  'create unique index customers_previous_key on customers (previous_api_key_hash)',
  'alter table users add column issuer text',
  'create index users_issuer on users (issuer, project_id, seq) where issuer is not null',
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

const signIns = ({ integer, bigint, bytes, seq, table }: Dialect): string[] => [
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

const audit = ({ bigint, seq, table, clusteredTable }: Dialect): string[] => [
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
    head_hash text not null
  ) ${table}`,
]
