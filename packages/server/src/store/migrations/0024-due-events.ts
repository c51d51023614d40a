/** Whether an address has something due is known by its events alone. */
import { type Kysely, sql } from 'kysely'

export const dueEvents = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql.raw('drop index webhooks_due').execute(db)
    await sql.raw('alter table webhooks drop column due_at').execute(db)
  },
}
