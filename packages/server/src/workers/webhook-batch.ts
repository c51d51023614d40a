/**
 * What is to be sent to an address next: single events in the generic form, or as many as one message of the chat
 * platform carries; and the request that carries them.
 */
import manifest from '../../package.json' with { type: 'json' }
import type { Deps } from '../deps.ts'
import { chatBody, genericBody } from '../domain/event-messages.ts'
import { type EventRow, listDueEvents, updateStaleEvents } from '../store/outbox.ts'
import type { WebhookTarget } from '../store/webhooks.ts'
import { CHAT_AGE_MS, type Format } from '../webhooks/retry.ts'
import { addressSecret, type Unsigned } from '../webhooks/sign.ts'

/** Events that one request carries. */
export type Batch = { readonly events: readonly EventRow[]; readonly message: () => Unsigned }
/** Nothing is sent before `waitUntil`, so that a message carries what comes until then. */
export type Next = { readonly batches: readonly Batch[] } | { readonly waitUntil: number }

/** Embeds of one message of the chat platform. */
const CHAT_EVENTS = 10
/** So long executions are gathered; people who watch a channel do not notice it. */
const GATHER_MS = 2000
const HEADERS = { 'content-type': 'application/json', 'user-agent': `Scriptward/${manifest.version}` }

/** At most so many requests as `most`. */
export async function nextBatches(
  deps: Deps,
  target: WebhookTarget,
  format: Format,
  most: number,
): Promise<Next> {
  if (format === 'chat') return nextChat(deps, target)
  const events = await listDueEvents(deps.db.read, target, { now: deps.now(), limit: most })
  return {
    batches: events.map((event) => ({ events: [event], message: () => generic(deps, target, event) })),
  }
}

async function nextChat(deps: Deps, target: WebhookTarget): Promise<Next> {
  const now = deps.now()
  const events = await listFresh(deps, target, now)
  const [first] = events
  if (!first) return { batches: [] }
  const gatheredAt = first.queued_at + GATHER_MS
  const isGathering =
    target.kind === 'execution' && first.attempts === 0 && first.type.startsWith('execution.')
  if (isGathering && events.length < CHAT_EVENTS && now < gatheredAt) return { waitUntil: gatheredAt }
  // What failed once is tried alone, so that one event which the platform refuses cannot take nine others with it.
  const together = first.attempts > 0 ? [first] : events.filter(({ attempts }) => attempts === 0)
  const { body, sent } = chatBody(together, { id: target.project_id, name: target.name })
  return { batches: [{ events: sent, message: () => chat(target, body) }] }
}

async function listFresh(deps: Deps, target: WebhookTarget, now: number): Promise<EventRow[]> {
  const page = { now, limit: CHAT_EVENTS }
  const events = await listDueEvents(deps.db.read, target, page)
  const before = now - CHAT_AGE_MS
  if (!events.some(({ queued_at }) => queued_at < before)) return events
  await deps.db.transaction((tx) => updateStaleEvents(tx, target, before))
  return listDueEvents(deps.db.read, target, page)
}

function generic({ config, now }: Deps, target: WebhookTarget, event: EventRow): Unsigned {
  const body = genericBody(event, { id: target.project_id, name: target.name })
  const { webhookSecret: master } = config
  const secret = master === undefined ? undefined : addressSecret(master, target.project_id, target.kind)
  return {
    address: target.address ?? '',
    headers: HEADERS,
    body,
    signing: { id: event.id, at: now(), secret },
  }
}

/** With `wait` the platform says what became of the message instead of that it was taken. */
function chat(target: WebhookTarget, body: string): Unsigned {
  const url = new URL(target.address ?? '')
  url.searchParams.set('wait', 'true')
  return { address: url.href, headers: HEADERS, body }
}
