/** What changes of many users and removals can be undone from. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const trash = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

// No reference to `projects`: what was removed with a project is restored from here.
const statements = ({ bigint, seq, table }: Dialect): string[] => [
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
  // Almost empty: reads of users look here for those that are hidden, and it holds that a customer has one such change.
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
  "create index trash_key on trash (user_key) where kind = 'users'",
]
