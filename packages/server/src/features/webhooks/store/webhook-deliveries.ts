/**
 * All queries on the `webhook_deliveries` table. Each row is an attempt to send an event, with its outcome.
 */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf, type JsonColumn } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { WebhookDeliveriesTable } from '../../../database/schema/webhook-tables.ts'

export type WebhookDeliveryRow = Selectable<WebhookDeliveriesTable>
export type NewWebhookDelivery = Insertable<WebhookDeliveriesTable>

const columns = [
  ['event_id', 'text'],
  ['attempted_at', 'bigint'],
  ['duration_ms', 'double precision'],
  ['address', 'text'],
  ['status', 'integer'],
  ['answer', 'text'],
  ['error', 'text'],
] as const satisfies readonly (readonly [keyof NewWebhookDelivery, JsonColumn[1]])[]

const written = prepared<{ rows: string }, never>((db, p) => {
  const names = sql.raw(columns.map(([name]) => name).join(', '))
  return sql`insert into webhook_deliveries (${names})
    select ${names} from ${dialectOf(db).rowsFrom(p.rows, columns)} as given order by position`
})
export const insertWebhookDeliveries = async (
  tx: Queries,
  rows: readonly NewWebhookDelivery[],
): Promise<void> => {
  if (rows.length === 0) return
  const lists = rows.map((row) => columns.map(([name]) => row[name] ?? null))
  await written.count(tx, { rows: JSON.stringify(lists) })
}

/** Lists attempts oldest first. The caller must have checked that the events belong to their project. */
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
