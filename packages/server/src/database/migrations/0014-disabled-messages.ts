/** What users read of a script that is switched off. */
import { type Kysely, sql } from 'kysely'

export const disabledMessages = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql`alter table scripts add column disabled_message text`.execute(db)
  },
}
