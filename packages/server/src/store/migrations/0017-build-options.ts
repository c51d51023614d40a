/** How a script is built: options of the obfuscator, and the author's test, encrypted like his source. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const buildOptions = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { bytes } = dialectOf(db)
    const statements = [
      "alter table scripts add column options text not null default '{}'",
      "alter table script_versions add column options text not null default '{}'",
      `alter table script_versions add column test_script ${bytes}`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
