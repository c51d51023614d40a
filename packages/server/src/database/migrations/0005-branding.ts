/** How a project looks to its visitors. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const branding = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ integer, bytes, table }: Dialect): string[] => [
  `create table branding (
    project_id text not null primary key references projects (id) on delete cascade,
    name text,
    accent text,
    links text not null default '[]',
    all_scripts ${integer} not null default 1,
    scripts text not null default '[]',
    logo ${bytes},
    logo_file text,
    logo_width ${integer},
    logo_height ${integer}
  ) ${table}`,
  'create index branding_logo_file on branding (logo_file) where logo_file is not null',
]
