/** Functions of authors that scripts ask the service to run. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const serverFunctions = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw(statement(dialectOf(db))).execute(db)
  },
}

const statement = ({ bytes, bigint, integer, table }: Dialect): string => `create table server_functions (
    script_id text not null references scripts (id) on delete cascade,
    name text not null,
    source ${bytes} not null,
    source_bytes ${integer} not null,
    created_at ${bigint} not null,
    updated_at ${bigint} not null,
    calls ${bigint} not null default 0,
    failures ${bigint} not null default 0,
    last_problem text,
    last_failed_at ${bigint},
    reported_at ${bigint},
    primary key (script_id, name)
  ) ${table}`
