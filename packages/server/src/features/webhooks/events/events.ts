/**
 * Records the events in `event-catalog.ts` in the transaction of the change, so that neither is stored
 * without the other. `messages.ts` formats messages.
 */

import { newId } from '../../../api/ids.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import {
  type EventRow,
  insertEvent,
  insertEvents,
  insertForcedEvent,
  updateOverflowingEvents,
} from '../store/outbox.ts'
import { updateWebhookTried, type WebhookId } from '../store/webhooks.ts'
import { type EventData, type EventType, events } from './event-catalog.ts'
import type { EventKind } from './event-entry.ts'
import type { EventUser } from './event-shapes.ts'

export type Event<T extends EventType = EventType> = {
  readonly type: T
  readonly project_id: string
  readonly data: EventData[T]
}

/** Event type of a message that a script sends. No endpoint subscribes to it. */
export const MESSAGE_TYPE = 'script.message'

/** Maximum number of keys listed in `users.generated`. */
export const NAMED_KEYS = 20

export type EventDeps = Pick<Deps, 'now' | 'random' | 'secrets' | 'author'>

/**
 * Records an event. Must be called in the transaction of the change. Costs one statement if there is no
 * endpoint.
 */
export async function addEvent<T extends EventType>(
  tx: Queries,
  deps: EventDeps,
  event: Event<T>,
): Promise<void> {
  const { kind } = events[event.type]
  const row = rowOf(deps, kind, event)
  await insertEvent(tx, row)
}

/**
 * Records events of one type and project. Must be called in the transaction of the changes that the events
 * report.
 */
export async function addEvents<T extends EventType>(
  tx: Queries,
  deps: EventDeps,
  { type, project_id }: Pick<Event<T>, 'type' | 'project_id'>,
  data: readonly EventData[T][],
): Promise<void> {
  const { kind } = events[type]
  const [first, ...others] = data.map((each) => rowOf(deps, kind, { type, project_id, data: each }))
  if (first) await insertEvents(tx, first, [first, ...others])
}

/**
 * Records a test for an endpoint. The test is attempted immediately, even if the endpoint is paused. Returns
 * the ID of the delivery, or undefined if there is no endpoint.
 */
export async function addTestEvent(
  tx: Queries,
  deps: EventDeps,
  projectId: string,
  id: WebhookId,
): Promise<string | undefined> {
  const kind = id.startsWith('whk_') ? 'additional' : (id as EventKind)
  const event = { type: 'webhook.test', project_id: projectId, data: { actor: 'owner', kind } } as const
  const row = rowOf(deps, id, event)
  if (!(await updateWebhookTried(tx, projectId, id))) return undefined
  return insertForcedEvent(tx, row)
}

/**
 * Drops an endpoint's pending events beyond the latest `keep`, so that pending events can't fill up the disk
 * or a channel. Records one event with the number of dropped events per type.
 */
export async function leaveOutEvents(
  tx: Queries,
  deps: EventDeps,
  queue: { readonly project_id: string; readonly kind: WebhookId },
  keep: number,
): Promise<void> {
  const ended = await updateOverflowingEvents(tx, queue, keep)
  const counts = [...ended].map(([type, count]) => ({ type, count }))
  if (counts.length === 0) return
  const event = { type: 'events.left_out', project_id: queue.project_id, data: { counts } } as const
  await insertForcedEvent(tx, rowOf(deps, queue.kind, event))
}

/** Decrypts an event as it was recorded. Pending and sent events are encrypted at rest. */
export function openEvent<E extends Pick<EventRow, 'id' | 'data'> & Partial<Pick<EventRow, 'event_id'>>>(
  { secrets }: Pick<Deps, 'secrets'>,
  event: E,
): E {
  return { ...event, data: secrets.openText('event', event.event_id ?? event.id, event.data) }
}

/** Selects the user data that every event about a user includes. */
export function eventUser({ key, chat_id, note, executions, key_expires }: EventUser): EventUser {
  return { key, chat_id, note, executions, key_expires }
}

/** Returns the Discord user who caused the event through a bot. */
function byWhom({ author }: EventDeps) {
  return author?.kind === 'chat' && { by: { chat_id: author.id ?? '', name: author.name } }
}

function rowOf(deps: EventDeps, kind: WebhookId, event: Event) {
  const { now, random, secrets } = deps
  const created_at = now()
  const { type, project_id } = event
  const data = { ...event.data, ...byWhom(deps) }
  const id = newId('evt', created_at, random)
  return {
    id,
    project_id,
    kind,
    type,
    data: secrets.sealText('event', id, JSON.stringify(data)),
    created_at,
    script_id: 'script' in data ? data.script.id : null,
  }
}
