/** Visits of ad systems by day, and what counts new users quickly in a project of a million. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const days = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ bigint, clusteredTable }: Dialect): string[] => [
  `create table ad_checkpoint_days (
    checkpoint_id text not null references ad_checkpoints (id) on delete cascade,
    day ${bigint} not null,
    started ${bigint} not null,
    completed ${bigint} not null,
    refused ${bigint} not null,
    primary key (checkpoint_id, day)
  ) ${clusteredTable}`,
  'create index ad_checkpoint_days_day on ad_checkpoint_days (day)',
  `create table ad_system_days (
    system_id text not null references ad_systems (id) on delete cascade,
    day ${bigint} not null,
    completions ${bigint} not null,
    keys ${bigint} not null,
    primary key (system_id, day)
  ) ${clusteredTable}`,
  'create index ad_system_days_day on ad_system_days (day)',
  // The change tells whether a user is shown, so that counting reads the index alone.
  'create index users_created on users (project_id, created_at, seq, change)',
]
