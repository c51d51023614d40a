/** Webhook addresses of a project beside its three: what they are sent, and a log for each address. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const webhookAddresses = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ integer, bigint }: Dialect): string[] => [
  'alter table webhooks add column name text',
  'alter table webhooks add column address text',
  'alter table webhooks add column secret text',
  'alter table webhooks add column old_secret text',
  `alter table webhooks add column old_secret_until ${bigint}`,
  'alter table webhooks add column events text',
  'alter table webhooks add column scripts text',
  `alter table webhooks add column enabled ${integer} not null default 1`,
  'alter table outbox add column event_id text',
  'alter table outbox add column script_id text',
  'create index outbox_address on outbox (project_id, kind, seq)',
]
