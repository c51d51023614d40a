/** Plans, and what a key has of its own beside the plan: clock, pause, features, uses and the quota that is used. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const plans = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = (dialect: Dialect): string[] => [
  ...table(dialect),
  ...columns(dialect).map((column) => `alter table users add column ${column}`),
  'create index users_plan on users (plan_id, seq) where plan_id is not null',
  // In the order of lists, with all that tells a status, so that no row is read to find or count those with one.
  `create index users_status on users (project_id, seq, standing, blacklisted, blacklist_expires, key_expires, change,
    paused_at, clock_waits, starts_at, plan_id, quota_used, quota_until)`,
  'drop index users_standing',
]

const table = ({ integer, bigint, seq, table: options }: Dialect): string[] => [
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
    created_at ${bigint} not null
  ) ${options}`,
  'create unique index plans_name on plans (project_id, name)',
]

const columns = ({ integer, bigint }: Dialect): string[] => [
  'plan_id text',
  `starts_at ${bigint}`,
  'clock_basis text',
  `clock_duration ${bigint}`,
  `clock_began ${bigint}`,
  `clock_extra ${bigint} not null default 0`,
  `clock_waits ${integer} not null default 0`,
  `paused_at ${bigint}`,
  'features text',
  `first_used_at ${bigint}`,
  `last_used_at ${bigint}`,
  `quota_used ${integer} not null default 0`,
  `quota_until ${bigint}`,
]
