/** The other files of a version's source. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../engine/dialect.ts'

export const scriptFiles = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw(`alter table script_versions add column files ${dialectOf(db).bytes}`).execute(db)
  },
}
