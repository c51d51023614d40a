/** Which process makes a backup, and how the last ones of the service ended. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const backups = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw(statement(dialectOf(db))).execute(db)
  },
}

const statement = ({ integer, bigint, table }: Dialect): string => `create table backup_state (
    id ${integer} not null primary key check (id = 1),
    holder text,
    held_until ${bigint} not null default 0,
    made_at ${bigint},
    machine text,
    place text,
    failed_at ${bigint},
    failure text
  ) ${table}`
