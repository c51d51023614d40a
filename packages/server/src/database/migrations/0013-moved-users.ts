/** What users who were moved from another service had there. */
import { type Kysely, sql } from 'kysely'

export const movedUsers = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql`alter table users add column foreign_device text`.execute(db)
  },
}
