/** Keys of versions that only the service has, encrypted; none for versions in which nothing is locked under one. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const lockKeys = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { bytes } = dialectOf(db)
    await sql.raw(`alter table script_versions add column service_key ${bytes}`).execute(db)
  },
}
