/** Tables for webhooks: endpoints, the outbox of events to deliver, and attempted deliveries. */
import { flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/**
 * One row per endpoint of a project. The row of a built-in endpoint is created and deleted with its URL, by
 * `features/projects/projects.ts`.
 */
const webhooks = {
  seq,
  project_id: text,
  /** One of the project's three built-in endpoints, or the ID of an additional one. */
  kind: textOf<'execution' | 'information' | 'blacklist' | `whk_${string}`>(),
  /**
   * Nothing is sent before this time, because a process has claimed the endpoint, the receiver has requested
   * a delay, or the endpoint keeps failing.
   */
  held_until: withDefault(number),
  /** Number of consecutive failures. */
  failures: withDefault(number),
  failing_since: nullable(number),
  paused_at: nullable(number),
  pause_reason: nullable(textOf<'failing' | 'gone'>()),
  /** Time of the last successful delivery since the endpoint was saved. */
  delivered_at: nullable(number),
  // Only custom endpoints use the columns for the name, URL, filters and on/off switch. For the three
  // built-in endpoints, these values are fields of the project.
  name: nullable(text),
  /** Encrypted, like the secrets. */
  address: nullable(text),
  /**
   * Null for a built-in endpoint saved before each endpoint had its own secret. In that case, the secret is
   * derived.
   */
  secret: nullable(text),
  /** The previous secret, which is also used for signing during the grace period. */
  old_secret: nullable(text),
  old_secret_until: nullable(number),
  /** JSON: an array of event types. Null for all. */
  events: nullable(text),
  /**
   * JSON: IDs of the scripts whose events the endpoint receives. Null for all. Events without a script are
   * always sent.
   */
  scripts: nullable(text),
  enabled: withDefault(flag),
}
export type WebhooksTable = TableOf<typeof webhooks>

const outbox = {
  seq,
  /** Delivery ID: the event ID and, for a custom endpoint, a dot and the endpoint ID. */
  id: text,
  project_id: text,
  kind: textOf<WebhooksTable['kind']>(),
  type: text,
  /** Encrypted JSON. */
  data: text,
  state: textOf<'pending' | 'delivered' | 'failed' | 'dropped'>(),
  created_at: number,
  /** Differs from `created_at` if the event has been resent. */
  queued_at: number,
  attempts: number,
  /** Null if and only if the delivery is not pending. */
  due_at: nullable(number),
  /** The event ID. Null if it equals the delivery ID. */
  event_id: nullable(text),
  /** The script that the event concerns. */
  script_id: nullable(text),
}
export type OutboxTable = TableOf<typeof outbox>

const webhookDeliveries = {
  seq,
  event_id: text,
  attempted_at: number,
  duration_ms: number,
  /** Encrypted. */
  address: text,
  status: nullable(number),
  /** The start of the receiver's response. */
  answer: nullable(text),
  error: nullable(text),
}
export type WebhookDeliveriesTable = TableOf<typeof webhookDeliveries>

export const webhookTables = { webhooks, outbox, webhook_deliveries: webhookDeliveries }
