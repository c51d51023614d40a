/**
 * Webhooks as the owner of a project manages them: the health of each address, deliveries and their attempts, sending one
 * again, sending a test. Delivery itself is in `deliver.ts`.
 */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import {
  countEvents,
  countPendingEvents,
  type EventFilter,
  type EventRow,
  findEventKind,
  listEvents,
  updateEventRedelivered,
  updatePendingEvents,
} from '../../store/tables/outbox.ts'
import type { ProjectRow } from '../../store/tables/projects.ts'
import { listWebhookDeliveries, type WebhookDeliveryRow } from '../../store/tables/webhook-deliveries.ts'
import {
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhookTried,
  type WebhookKind,
  type WebhookRow,
} from '../../store/tables/webhooks.ts'
import { isChatAddress } from '../../webhooks/address.ts'
import { addressSecret, publicKeyText } from '../../webhooks/sign.ts'
import { type ListSpec, type PageQuery, readPage } from '../pagination.ts'
import { Refused, refuse } from '../refusals.ts'
import { addTestEvent, openEvent } from './events.ts'
import { genericBody } from './messages.ts'

type ProjectSubject = { readonly project: ProjectRow }
/** Bodies have keys of users, which not everybody may read. */
export type DeliveryPage = EventFilter & PageQuery & { readonly withBodies: boolean }

/** The member of a project that holds the address of each kind. */
export const WEBHOOK_MEMBERS = {
  execution: 'execution_webhook',
  information: 'information_webhook',
  blacklist: 'blacklist_webhook',
} as const satisfies Record<WebhookKind, keyof ProjectRow>

export const KINDS = Object.keys(WEBHOOK_MEMBERS) as WebhookKind[]
const LISTED = 100
const NEWEST_FIRST: ListSpec<EventRow> = { name: 'delivery', numberOf: ({ seq }) => seq }
/** Pending events are counted up to here. */
const MOST_COUNTED = 10_000

/** Addresses of the chat platform are credentials, so they are sealed at rest. */
export function sealAddress(
  { secrets }: Deps,
  projectId: string,
  kind: WebhookKind,
  address: string,
): string {
  return secrets.sealText('webhookAddress', `${projectId} ${kind}`, address)
}

export function openAddress(
  { secrets }: Deps,
  projectId: string,
  kind: WebhookKind,
  sealed: string | null,
): string | null {
  return sealed && secrets.openText('webhookAddress', `${projectId} ${kind}`, sealed)
}

/** Follows a change of the addresses: a saved one starts healthy, the pending events of a removed one are dropped. */
export async function saveWebhooks(
  tx: Queries,
  projectId: string,
  addresses: Partial<Pick<ProjectRow, (typeof WEBHOOK_MEMBERS)[WebhookKind]>>,
): Promise<void> {
  for (const kind of KINDS) {
    const address = addresses[WEBHOOK_MEMBERS[kind]]
    if (address === undefined) continue
    if (address !== null) await insertWebhook(tx, projectId, kind)
    else {
      await deleteWebhook(tx, projectId, kind)
      await updatePendingEvents(tx, { project_id: projectId, kind }, 'dropped')
    }
  }
}

export async function listProjectWebhooks(deps: Deps, { project }: ProjectSubject) {
  const rows = await listWebhooks(deps.db.read, project.id)
  const webhooks: WebhookResource[] = []
  for (const kind of KINDS) {
    const address = openAddress(deps, project.id, kind, project[WEBHOOK_MEMBERS[kind]])
    const row = rows.find((one) => one.kind === kind)
    if (address === null || row === undefined) continue
    const waiting = await countPendingEvents(deps.db.read, { project_id: project.id, kind }, MOST_COUNTED)
    webhooks.push(describeWebhook(deps, row, { address, waiting }))
  }
  return webhooks
}

/** Newest first. */
export async function listDeliveries(deps: Deps, { project }: ProjectSubject, page: DeliveryPage) {
  const { from, after, limit = LISTED, withBodies, ...filter } = page
  const { read } = deps.db
  const part = { limit, ...(from === undefined ? {} : { from }), ...(after === undefined ? {} : { after }) }
  const found = await readPage(NEWEST_FIRST, part, (stretch) =>
    listEvents(read, project.id, { ...filter, ...stretch }),
  )
  if (found instanceof Refused) return found
  const attempts = await listWebhookDeliveries(
    read,
    found.rows.map(({ id }) => id),
  )
  const byEvent = Map.groupBy(attempts, ({ event_id }) => event_id)
  return {
    deliveries: found.rows.map((row) => ({
      ...describeDelivery(deps, row, byEvent.get(row.id) ?? []),
      body: withBodies ? genericBody(openEvent(deps, row), project) : null,
    })),
    total: await countEvents(read, project.id, filter),
    next: found.next,
  }
}

/** Sends an event again, whatever its state, with the same id. */
export async function redeliver(
  deps: Deps,
  { project }: ProjectSubject,
  deliveryId: string,
): Promise<undefined | Refused<'not_found' | 'no_webhook_address' | 'rate_limited'>> {
  const now = deps.now()
  const kind = await findEventKind(deps.db.read, project.id, deliveryId)
  const limited = kind && (await limitSending(deps, project, kind))
  if (limited) return limited
  return deps.db.transaction(async (tx) => {
    const row = await updateEventRedelivered(tx, project.id, deliveryId, now)
    if (!row) return refuse('not_found')
    const hasAddress = await updateWebhookTried(tx, project.id, row.kind)
    return hasAddress ? undefined : refuse('no_webhook_address')
  })
}

/** Returns the id of the delivery that will show the outcome. */
export async function testWebhook(
  deps: Deps,
  { project }: ProjectSubject,
  kind: WebhookKind,
): Promise<string | Refused<'no_webhook_address' | 'rate_limited'>> {
  const limited = await limitSending(deps, project, kind)
  if (limited) return limited
  return deps.db.transaction(async (tx) => {
    const id = await addTestEvent(tx, deps, project.id, kind)
    if (id) deps.note({ nouns: { delivery_id: id } })
    return id ?? refuse('no_webhook_address')
  })
}

/** What is sent by request goes to a host that may not have asked for it, so its address gets only so much. */
async function limitSending(
  { limits, now }: Deps,
  project: ProjectRow,
  kind: WebhookKind,
): Promise<Refused<'rate_limited'> | undefined> {
  const address = project[WEBHOOK_MEMBERS[kind]]
  if (address === null) return undefined
  const waitMs = await limits.attempts.takeAttempt('webhookTest', address, now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

/** Public keys for checking signatures. */
export function webhookKeys({ secrets, now }: Deps) {
  const keys = secrets.webhooks.accepted(now())
  return {
    keys: keys.map(({ id, publicKey, notAfter }) => ({
      id,
      whpk: publicKeyText(publicKey),
      not_after: notAfter,
    })),
  }
}

export type WebhookResource = ReturnType<typeof describeWebhook>

function describeWebhook(
  { config }: Deps,
  row: WebhookRow,
  { address, waiting }: { address: string; waiting: number },
) {
  const url = URL.parse(address)
  const state = row.paused_at === null ? (row.failures > 0 ? 'failing' : 'active') : 'paused'
  return {
    kind: row.kind,
    address,
    format: url !== null && isChatAddress(url, config) ? 'chat' : 'generic',
    state: row.pause_reason === 'gone' ? 'disabled' : state,
    failures: row.failures,
    failing_since: row.failing_since,
    paused_at: row.paused_at,
    waiting,
    secret:
      config.webhookSecret === undefined
        ? null
        : addressSecret(config.webhookSecret, row.project_id, row.kind),
  } as const
}

function describeDelivery({ secrets }: Deps, row: EventRow, attempts: readonly WebhookDeliveryRow[]) {
  return {
    id: row.id,
    kind: row.kind,
    type: row.type,
    state: row.state,
    created_at: row.created_at,
    next_attempt: row.due_at,
    attempts: attempts.map((one) => ({
      attempted_at: one.attempted_at,
      duration_ms: one.duration_ms,
      address: secrets.openText('eventAddress', row.id, one.address),
      status: one.status,
      answer: one.answer,
      error: one.error,
    })),
  }
}
