/** Rows of `webhook_deliveries` and every statement on that table: each attempt to send an event, and what came of it. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from './db.ts'
import type { WebhookDeliveriesTable } from './tables.ts'

export type WebhookDeliveryRow = Selectable<WebhookDeliveriesTable>
export type NewWebhookDelivery = Insertable<WebhookDeliveriesTable>

export const insertWebhookDeliveries = async (
  tx: Queries,
  rows: readonly NewWebhookDelivery[],
): Promise<void> => {
  if (rows.length > 0) await tx.insertInto('webhook_deliveries').values(rows).execute()
}

/** Oldest first; whoever asks has read the events as their owner's. */
export const listWebhookDeliveries = async (
  db: Queries,
  eventIds: readonly string[],
): Promise<WebhookDeliveryRow[]> => {
  if (eventIds.length === 0) return []
  return db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('event_id', 'in', eventIds)
    .orderBy('seq')
    .execute()
}
