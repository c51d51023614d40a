/** How many users of a project earned their key by ads is kept beside how many there are: every landing page asks. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const adUserCounts = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const statements = [
      `alter table projects add column ad_users ${dialectOf(db).bigint} not null default 0`,
      `update projects set ad_users =
        (select count(*) from users where users.project_id = projects.id and ad_system_id is not null)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
