/** When an address last took something, so that one that was never tried does not count as one that works. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../engine/dialect.ts'

export const deliveredWebhooks = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { bigint } = dialectOf(db)
    await sql.raw(`alter table webhooks add column delivered_at ${bigint}`).execute(db)
    // As far as the log of deliveries tells it.
    await sql`update webhooks set delivered_at = (select max(outbox.queued_at) from outbox
      where outbox.project_id = webhooks.project_id and outbox.kind = webhooks.kind
      and outbox.state = 'delivered')`.execute(db)
  },
}
