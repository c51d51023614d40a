/**
 * Selects the next events for an endpoint (a single event in the generic form, or as many as fit in one
 * Discord message) and builds the request.
 */
import manifest from '../../../package.json' with { type: 'json' }
import type { Deps } from '../../deps.ts'
import { secretsOf } from './addresses.ts'
import { MESSAGE_TYPE, openEvent } from './events/events.ts'
import { chatBody, genericBody } from './events/messages.ts'
import { CHAT_AGE_MS, type Format } from './retry.ts'
import type { Unsigned } from './send/sign.ts'
import { type EventRow, listDueEvents, updateStaleEvents } from './store/outbox.ts'
import type { WebhookTarget } from './store/webhooks.ts'

/** The events in one request. */
export type Batch = { readonly events: readonly EventRow[]; readonly message: () => Unsigned }
/** Nothing is sent before `waitUntil`, so that one message can contain all events up to then. */
export type NextBatches = { readonly batches: readonly Batch[] } | { readonly waitUntil: number }

/** Maximum number of embeds per Discord message. */
const CHAT_EVENTS = 10
/** Executions are collected for this long. Readers of a channel don't notice such a delay. */
const CHAT_DEBOUNCE_MS = 2000
const COLLECTED: ReadonlySet<string> = new Set(['execution.granted', 'execution.denied'])
const HEADERS = { 'content-type': 'application/json', 'user-agent': `Scriptward/${manifest.version}` }

/** Returns at most `limit` requests. */
export async function nextBatches(
  deps: Deps,
  target: WebhookTarget,
  format: Format,
  limit: number,
): Promise<NextBatches> {
  if (format === 'chat') return nextChatBatch(deps, target)
  const events = await listDueEvents(deps.db.read, target, { now: deps.now(), limit })
  return {
    batches: events.map((event) => ({
      events: [event],
      message: () => genericMessage(deps, target, event),
    })),
  }
}

async function nextChatBatch(deps: Deps, target: WebhookTarget): Promise<NextBatches> {
  const now = deps.now()
  const events = await listFreshEvents(deps, target, now)
  const [first] = events
  if (!first) return { batches: [] }
  if (isMessage(first)) return { batches: [messageBatch(deps, target, first)] }
  const sendAt = first.queued_at + CHAT_DEBOUNCE_MS
  const isDebounced = first.attempts === 0 && COLLECTED.has(first.type)
  if (isDebounced && events.length < CHAT_EVENTS && now < sendAt) return { waitUntil: sendAt }
  // Retries a failed event alone. Otherwise, one event that Discord rejects could make nine others fail.
  const together =
    first.attempts > 0 ? [first] : events.filter((event) => event.attempts === 0 && !isMessage(event))
  const { body, sent } = chatBody(
    together.map((event) => openEvent(deps, event)),
    { id: target.project_id, name: target.project_name },
  )
  return { batches: [{ events: sent, message: () => chatMessage(target, body) }] }
}

/** Sends a script's message as its author wrote it. It can't mention anyone unless the author allowed it. */
function messageBatch(deps: Deps, target: WebhookTarget, event: EventRow): Batch {
  const body = { allowed_mentions: { parse: [] }, ...messageOf(deps, event) }
  return { events: [event], message: () => chatMessage(target, JSON.stringify(body)) }
}

function isMessage({ type }: EventRow): boolean {
  return type === MESSAGE_TYPE
}

function messageOf(deps: Deps, event: EventRow): object {
  return (JSON.parse(openEvent(deps, event).data) as { readonly message: object }).message
}

/** Drops events that are too old for Discord, and lists the events that are due. */
async function listFreshEvents(deps: Deps, target: WebhookTarget, now: number): Promise<EventRow[]> {
  const page = { now, limit: CHAT_EVENTS }
  const events = await listDueEvents(deps.db.read, target, page)
  const before = now - CHAT_AGE_MS
  if (!events.some(({ queued_at }) => queued_at < before)) return events
  await deps.db.transaction((tx) => updateStaleEvents(tx, target, before))
  return listDueEvents(deps.db.read, target, page)
}

function genericMessage(deps: Deps, target: WebhookTarget, event: EventRow): Unsigned {
  const project = { id: target.project_id, name: target.project_name }
  const body = isMessage(event)
    ? JSON.stringify(messageOf(deps, event))
    : genericBody(openEvent(deps, event), project)
  return {
    address: target.address ?? '',
    headers: HEADERS,
    body,
    signing: { id: event.event_id ?? event.id, at: deps.now(), secrets: secretsOf(deps, target) },
  }
}

/** With `wait`, Discord responds after it has processed the message, not just accepted it. */
function chatMessage(target: WebhookTarget, body: string): Unsigned {
  const url = new URL(target.address ?? '')
  url.searchParams.set('wait', 'true')
  return { address: url.href, headers: HEADERS, body }
}
