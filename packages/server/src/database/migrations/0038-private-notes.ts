/** What authors note of a key and scripts are never sent. */
import { type Kysely, sql } from 'kysely'

export const privateNotes = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw('alter table users add column private_note text').execute(db)
  },
}
