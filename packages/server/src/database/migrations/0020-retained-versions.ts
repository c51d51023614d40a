/**
 * Which version of a script was active when, for keys that keep the version of their end. Of earlier times only the uploads
 * are known; where an older version is served than the newest, it counts as chosen just after that was uploaded.
 */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const retainedVersions = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of statements(dialectOf(db))) await sql.raw(statement).execute(db)
  },
}

const statements = ({ integer, bigint, clusteredTable }: Dialect): string[] => [
  "alter table plans add column after_expiry text not null default 'deny'",
  `create table script_activations (
    script_id text not null references scripts (id) on delete cascade,
    activated_at ${bigint} not null,
    version ${integer} not null,
    primary key (script_id, activated_at)
  ) ${clusteredTable}`,
  `insert into script_activations (script_id, activated_at, version)
    select script_id, created_at, max(version) from script_versions group by script_id, created_at`,
  `insert into script_activations (script_id, activated_at, version)
    select s.id, max(v.created_at) + 1, s.version from scripts as s
    join script_versions as v on v.script_id = s.id
    group by s.id, s.version having max(v.version) <> s.version`,
]
