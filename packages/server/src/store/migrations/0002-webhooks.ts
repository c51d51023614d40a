/**
 * Webhooks: the events that wait for an address or were sent to it, every attempt to send one, and for each address of
 * a project when its turn is and how it has been doing.
 */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../dialect.ts'

export const webhooks = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ integer, bigint, double, seq, table }: Dialect) => [
  `create table webhooks (
    seq ${seq},
    project_id text not null references projects (id) on delete cascade,
    kind text not null,
    due_at ${bigint},
    held_until ${bigint} not null default 0,
    failures ${integer} not null default 0,
    failing_since ${bigint},
    paused_at ${bigint},
    pause_reason text,
    unique (project_id, kind)
  ) ${table}`,
  'create index webhooks_due on webhooks (due_at) where due_at is not null',
  ...['execution', 'information', 'blacklist'].map(
    (kind) => `insert into webhooks (project_id, kind)
      select id, '${kind}' from projects where ${kind}_webhook is not null order by seq`,
  ),
  `create table outbox (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    kind text not null,
    type text not null,
    data text not null,
    state text not null,
    created_at ${bigint} not null,
    queued_at ${bigint} not null,
    attempts ${integer} not null,
    due_at ${bigint}
  ) ${table}`,
  'create index outbox_due on outbox (project_id, kind, due_at) where due_at is not null',
  'create index outbox_project on outbox (project_id, seq)',
  `create table webhook_deliveries (
    seq ${seq},
    event_id text not null references outbox (id) on delete cascade,
    attempted_at ${bigint} not null,
    duration_ms ${double} not null,
    address text not null,
    status ${integer},
    answer text,
    error text
  ) ${table}`,
  'create index webhook_deliveries_event on webhook_deliveries (event_id, seq)',
]
