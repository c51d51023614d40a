/** The initial schema. A released migration never changes; later changes are new migrations. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'
import { accessTables } from './0001-access.ts'
import { adTables } from './0001-ads.ts'
import { chatTables } from './0001-chat.ts'
import { errorTables } from './0001-errors.ts'
import { executorTables } from './0001-executors.ts'
import { hubTables } from './0001-hub.ts'
import { logTables } from './0001-log.ts'
import { projectTables } from './0001-projects.ts'
import { releaseTables } from './0001-releases.ts'
import { scriptTables } from './0001-scripts.ts'
import { userTables } from './0001-users.ts'

export const initial = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const dialect = dialectOf(db)
    // The order matters, because tables reference those of earlier areas.
    const tables = [
      accessTables,
      projectTables,
      userTables,
      scriptTables,
      adTables,
      errorTables,
      logTables,
      releaseTables,
      executorTables,
      hubTables,
      chatTables,
      service,
    ]
    const triggers = [
      ...dialect.trigrams.create,
      ...dialect.standing,
      ...dialect.lastUsedDay,
      ...dialect.labels,
      ...dialect.roleChecks,
    ]
    const statements = [...tables.flatMap((of) => of(dialect)), ...triggers]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const service = ({ integer, bigint, table }: Dialect): string[] => [
  `create table backup_state (
    id ${integer} not null primary key check (id = 1),
    holder text,
    held_until ${bigint} not null default 0,
    made_at ${bigint},
    machine text,
    place text,
    failed_at ${bigint},
    failure text
  ) ${table}`,
  // Older versions read this when they encounter migrations that they don't know.
  'create table compatibility (oldest_version text not null)',
  "insert into compatibility (oldest_version) values ('0.1.0')",
]
