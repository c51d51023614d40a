/** Handles an overflow of an endpoint's pending events by dropping all but the latest. */
import type { Deps } from '../../deps.ts'
import { leaveOutEvents } from './events/events.ts'
import type { Format } from './retry.ts'
import { countPendingEvents } from './store/outbox.ts'
import type { WebhookId } from './store/webhooks.ts'

/** If there are more than `limit` pending events, only the latest `keep` are still sent. */
const LIMITS = { chat: { limit: 500, keep: 9 }, generic: { limit: 10_000, keep: 5000 } } as const

type Queue = { readonly project_id: string; readonly kind: WebhookId }

/** Returns whether any events were dropped. If so, an event reports how many of each type were dropped. */
export async function leaveOutOverflow(deps: Deps, queue: Queue, format: Format): Promise<boolean> {
  const { limit, keep } = LIMITS[format]
  if ((await countPendingEvents(deps.db.read, queue, limit + 1)) <= limit) return false
  await deps.db.transaction((tx) => leaveOutEvents(tx, deps, queue, keep))
  return true
}
