/** How new keys of a project look. */
import { type Kysely, sql } from 'kysely'

export const keyFormats = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql`alter table projects add column key_format text`.execute(db)
  },
}
