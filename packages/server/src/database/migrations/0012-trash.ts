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
  `create table change_batches (
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
  'create index change_batches_customer on change_batches (customer_id, seq)',
  'create index change_batches_project on change_batches (project_id, seq)',
  'create index change_batches_created on change_batches (created_at)',
  `create table trash (
    seq ${seq},
    batch ${bigint} not null references change_batches (seq) on delete cascade,
    slice ${bigint} not null,
    kind text not null,
    user_key text,
    content text not null,
    after text
  ) ${table}`,
  'create index trash_batch on trash (batch, slice)',
  "create index trash_key on trash (user_key) where kind = 'users'",
]
