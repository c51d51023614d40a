/**
 * Counts that were taken anew at every request are kept instead, the rows that jobs look for once a minute get
 * indexes that hold these rows and no others, and new API keys wait here until they are delivered.
 */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const countsAndJobs = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer, bigint, bytes, table } = dialectOf(db)
    const statements = [
      `alter table projects add column total_users ${bigint} not null default 0`,
      `update projects set total_users = (select count(*) from users where users.project_id = projects.id)`,
      'create index users_expiring on users (project_id, key_expires) where key_expires is not null',
      'create index users_blacklist_ending on users (blacklist_expires) where blacklist_expires is not null',
      // Without `executions`, which every execution changes: PostgreSQL would write every index of the row each time.
      // Columns of the condition stand in the index too, or SQLite's planner would not see that it is the best.
      `create index users_unbound on users (project_id, fingerprint_assigned, chat_id, executor)
        where fingerprint_assigned = 0 and chat_id is null`,
      'create index users_from_ads on users (project_id, ad_system_id) where ad_system_id is not null',
      `create index users_blacklisted on users (project_id, blacklisted, blacklist_expires)
        where blacklisted = 1`,
      'create index daily_executions_day on daily_executions (day)',
      // Statistics read by script, which finds all days of one beside each other.
      'drop index daily_executions_project',
      'drop index daily_executions_customer',
      `create table waiting_api_keys (
        customer_id text not null primary key references customers (id) on delete cascade,
        api_key_hash text not null,
        sealed ${bytes} not null,
        created_at ${bigint} not null,
        mail_at ${bigint} not null,
        attempts ${integer} not null default 0
      ) ${table}`,
      'create index waiting_api_keys_mail on waiting_api_keys (mail_at)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
