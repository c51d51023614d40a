/** Remote variables and announcements of a project, and a number that each change of them raises. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const contents = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `alter table projects add column content_revision ${bigint} not null default 0`,
  `create table project_variables (
    project_id text not null primary key references projects (id) on delete cascade,
    version ${integer} not null,
    data text not null,
    updated_at ${bigint} not null
  ) ${table}`,
  `create table announcements (
    seq ${seq},
    id text not null unique,
    project_id text not null references projects (id) on delete cascade,
    text text not null,
    level text not null,
    until ${bigint} not null,
    scripts text,
    created_at ${bigint} not null
  ) ${table}`,
  'create index announcements_project on announcements (project_id, seq)',
]
