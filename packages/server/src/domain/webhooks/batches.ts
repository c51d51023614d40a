/**
 * What is sent to an address next: single events in the generic form, or as many as fit into one message of the chat
 * platform; and the request that carries them.
 */
import manifest from '../../../package.json' with { type: 'json' }
import type { Deps } from '../../deps.ts'
import { type EventRow, listDueEvents, updateStaleEvents } from '../../store/tables/outbox.ts'
import type { WebhookTarget } from '../../store/tables/webhooks.ts'
import { addressSecret, type Unsigned } from '../../webhooks/sign.ts'
import { openEvent } from './events.ts'
import { chatBody, genericBody } from './messages.ts'
import { CHAT_AGE_MS, type Format } from './retry.ts'

/** The events that one request carries. */
export type Batch = { readonly events: readonly EventRow[]; readonly message: () => Unsigned }
/** Nothing is sent before `waitUntil`, so that one message carries all events until then. */
export type NextBatches = { readonly batches: readonly Batch[] } | { readonly waitUntil: number }

/** Embeds of one message of the chat platform. */
const CHAT_EVENTS = 10
/** Executions are collected for this long, which people in a channel do not notice. */
const CHAT_DEBOUNCE_MS = 2000
const HEADERS = { 'content-type': 'application/json', 'user-agent': `Scriptward/${manifest.version}` }

/** At most `limit` requests. */
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
  const sendAt = first.queued_at + CHAT_DEBOUNCE_MS
  const isDebounced =
    target.kind === 'execution' && first.attempts === 0 && first.type.startsWith('execution.')
  if (isDebounced && events.length < CHAT_EVENTS && now < sendAt) return { waitUntil: sendAt }
  // A failed event is retried alone, so that one event which the platform rejects cannot take nine others with it.
  const together = first.attempts > 0 ? [first] : events.filter(({ attempts }) => attempts === 0)
  const { body, sent } = chatBody(
    together.map((event) => openEvent(deps, event)),
    { id: target.project_id, name: target.name },
  )
  return { batches: [{ events: sent, message: () => chatMessage(target, body) }] }
}

/** Drops events that are too old for a chat, and lists what is due. */
async function listFreshEvents(deps: Deps, target: WebhookTarget, now: number): Promise<EventRow[]> {
  const page = { now, limit: CHAT_EVENTS }
  const events = await listDueEvents(deps.db.read, target, page)
  const before = now - CHAT_AGE_MS
  if (!events.some(({ queued_at }) => queued_at < before)) return events
  await deps.db.transaction((tx) => updateStaleEvents(tx, target, before))
  return listDueEvents(deps.db.read, target, page)
}

function genericMessage(deps: Deps, target: WebhookTarget, event: EventRow): Unsigned {
  const { config, now } = deps
  const body = genericBody(openEvent(deps, event), { id: target.project_id, name: target.name })
  const { webhookSecret: master } = config
  const secret = master === undefined ? undefined : addressSecret(master, target.project_id, target.kind)
  return {
    address: target.address ?? '',
    headers: HEADERS,
    body,
    signing: { id: event.id, at: now(), secret },
  }
}

/** With `wait` the platform answers what became of the message, not only that it was accepted. */
function chatMessage(target: WebhookTarget, body: string): Unsigned {
  const url = new URL(target.address ?? '')
  url.searchParams.set('wait', 'true')
  return { address: url.href, headers: HEADERS, body }
}
