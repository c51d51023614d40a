/** Several devices of a key: each with its components, and what plans and keys say of them. What was bound becomes the first. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const devices = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = (dialect: Dialect): string[] => [
  ...table(dialect),
  ...columns(dialect).map(([name, column]) => `alter table ${name} add column ${column}`),
]

const table = ({ bigint, clusteredTable }: Dialect): string[] => [
  `create table user_devices (
    project_id text not null,
    user_key text not null,
    id text not null,
    name text,
    display text,
    bound_at ${bigint},
    last_used_at ${bigint},
    learned_at ${bigint},
    primary key (project_id, user_key, id),
    foreign key (project_id, user_key) references users (project_id, key) on delete cascade
  ) ${clusteredTable}`,
  `insert into user_devices (project_id, user_key, id, display, last_used_at)
    select project_id, key, 'dev_first', fingerprint_display, last_used_at from users where fingerprint_assigned = 1`,
]

const columns = ({ integer, bigint }: Dialect): [table: string, column: string][] => [
  ['user_fingerprints', "device text not null default 'dev_first'"],
  ['plans', `max_devices ${integer} not null default 1`],
  ['plans', "device_match text not null default 'strict'"],
  ['plans', `resets_count ${integer}`],
  ['plans', `resets_period ${bigint}`],
  ['users', `max_devices ${integer}`],
  ['users', 'device_match text'],
  ['users', `own_resets ${integer} not null default 0`],
  ['users', `own_resets_until ${bigint}`],
]
