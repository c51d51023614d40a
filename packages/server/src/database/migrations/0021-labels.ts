/** What authors keep of a key beside its note: tags, metadata, and to whom it was handed out. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const labels = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ bigint, clusteredTable, labels: triggers }: Dialect): string[] => [
  ...['tags text', 'metadata text', 'metadata_labels text', 'issued_to text', 'issued_by text'].map(
    (column) => `alter table users add column ${column}`,
  ),
  `alter table users add column issued_at ${bigint}`,
  `create table user_labels (
    project_id text not null,
    label text not null,
    user_seq ${bigint} not null references users (seq) on delete cascade,
    primary key (project_id, label, user_seq)
  ) ${clusteredTable}`,
  'create index user_labels_user on user_labels (user_seq)',
  'create index users_issued_by on users (project_id, issued_by, seq) where issued_by is not null',
  // As before, and what tells that a key was handed out.
  'drop index users_status',
  `create index users_status on users (project_id, seq, standing, blacklisted, blacklist_expires, key_expires, change,
    paused_at, clock_waits, starts_at, plan_id, quota_used, quota_until, issued_at)`,
  ...triggers,
]
