/** What the lines of a version's build are in its source, for errors. Apart, so that executions never read it. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const lineMaps = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw(statement(dialectOf(db))).execute(db)
  },
}

const statement = ({ integer, bytes, table }: Dialect): string => `create table line_maps (
    script_id text not null references scripts (id) on delete cascade,
    version ${integer} not null,
    map ${bytes} not null,
    primary key (script_id, version)
  ) ${table}`
