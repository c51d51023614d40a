/**
 * Webhook management for project owners: health of each endpoint, deliveries and their attempts, redelivery,
 * and tests. `deliver.ts` sends the events.
 */

import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { addTestEvent, openEvent } from './events/events.ts'
import { genericBody } from './events/messages.ts'
import { type Viewer, visibleAddress, visibleText } from './events/visible-address.ts'
import type { Format } from './retry.ts'
import { isChatAddress } from './send/address.ts'
import { addressSecret, publicKeyText } from './send/sign.ts'
import {
  countEvents,
  countPendingEvents,
  type EventFilter,
  type EventRow,
  findEventKind,
  listEvents,
  updateEventRedelivered,
  updatePendingEvents,
} from './store/outbox.ts'
import { listWebhookDeliveries, type WebhookDeliveryRow } from './store/webhook-deliveries.ts'
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhookTried,
  type WebhookId,
  type WebhookKind,
  type WebhookRow,
} from './store/webhooks.ts'

type ProjectSubject = { readonly project: ProjectRow }
/** Event bodies contain user keys, which not every caller may read. */
export type DeliveryPage = EventFilter & PageQuery & { readonly viewer: Viewer }

/** Maps each kind of endpoint to the project field that contains its URL. */
export const WEBHOOK_MEMBERS = {
  execution: 'execution_webhook',
  information: 'information_webhook',
  blacklist: 'blacklist_webhook',
} as const satisfies Record<WebhookKind, keyof ProjectRow>

export const KINDS = Object.keys(WEBHOOK_MEMBERS) as WebhookKind[]
const LISTED = 100
const SECRET_BYTES = 32
const NEWEST_FIRST: ListSpec<EventRow> = { name: 'delivery', numberOf: ({ seq }) => seq }
/** Pending events are counted only up to this number. */
const MAX_COUNTED = 10_000

/** Discord's webhook URLs are credentials, so all URLs are encrypted at rest. */
export function sealAddress({ secrets }: Deps, projectId: string, kind: WebhookId, address: string): string {
  return secrets.sealText('webhookAddress', `${projectId} ${kind}`, address)
}

export function openAddress(
  { secrets }: Deps,
  projectId: string,
  kind: WebhookId,
  sealed: string | null,
): string | null {
  return sealed && secrets.openText('webhookAddress', `${projectId} ${kind}`, sealed)
}

/** Returns a random secret in the format of Standard Webhooks, encrypted under the name of its endpoint. */
export function sealSecret({ random, secrets }: Pick<Deps, 'random' | 'secrets'>, name: string): string {
  return secrets.sealText('webhookSecret', name, `whsec_${random(SECRET_BYTES).toString('base64')}`)
}

/**
 * The IDs of custom endpoints are unique, but the three built-in endpoints have the same names in every
 * project.
 */
export function secretName({ project_id, kind }: Pick<WebhookRow, 'project_id' | 'kind'>): string {
  return isAdditional({ kind }) ? kind : `${project_id} ${kind}`
}

/**
 * Applies changes to the webhook URLs. Endpoints with a new URL start out healthy. Pending events of removed
 * endpoints are dropped.
 */
export async function saveWebhooks(
  deps: Pick<Deps, 'random' | 'secrets'>,
  tx: Queries,
  projectId: string,
  addresses: Partial<Pick<ProjectRow, (typeof WEBHOOK_MEMBERS)[WebhookKind]>>,
): Promise<void> {
  for (const kind of KINDS) {
    const address = addresses[WEBHOOK_MEMBERS[kind]]
    if (address === undefined) continue
    if (address !== null) {
      const row = { project_id: projectId, kind }
      await insertWebhook(tx, { ...row, secret: sealSecret(deps, secretName(row)) })
    } else {
      await deleteWebhook(tx, projectId, kind)
      await updatePendingEvents(tx, { project_id: projectId, kind }, 'dropped')
    }
  }
}

export async function listProjectWebhooks(deps: Deps, { project }: ProjectSubject) {
  const rows = await listWebhooks(deps.db.read, project.id)
  const three = KINDS.flatMap((kind) => rows.filter((row) => row.kind === kind))
  const webhooks: WebhookResource[] = []
  for (const row of [...three, ...rows.filter(isAdditional)])
    if (addressOf(deps, project, row) !== null) webhooks.push(await describeRow(deps, project, row))
  return webhooks
}

/** Returns the current URL of a built-in or additional endpoint. */
export function addressOf(deps: Deps, project: ProjectRow, row: WebhookRow): string | null {
  const { kind } = row
  const sealed = kind in WEBHOOK_MEMBERS ? project[WEBHOOK_MEMBERS[kind as WebhookKind]] : row.address
  return openAddress(deps, project.id, kind, sealed)
}

/** A built-in endpoint without a URL gets a different error than a nonexistent endpoint. */
export async function findOwnWebhook(
  { db }: Pick<Deps, 'db'>,
  project: ProjectRow,
  id: string,
): Promise<WebhookRow | Refused<'not_found' | 'no_webhook_address'>> {
  const row = await findWebhook(db.read, project.id, id as WebhookId)
  if (row) return row
  if (Object.hasOwn(WEBHOOK_MEMBERS, id)) return refuse('no_webhook_address')
  return refuseMissing(`Webhook ${shownId(id)} does not exist`)
}

/** Lists deliveries newest first. */
export async function listDeliveries(deps: Deps, { project }: ProjectSubject, page: DeliveryPage) {
  const { from, after, limit = LISTED, viewer, ...filter } = page
  const withBodies = viewer.scopes.has('users:read')
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
      ...describeDelivery(deps, row, byEvent.get(row.id) ?? [], viewer),
      body: withBodies ? genericBody(openEvent(deps, row), project) : null,
    })),
    total: await countEvents(read, project.id, filter),
    next: found.next,
  }
}

/** Redelivers an event in any state under the same ID. */
export async function redeliver(
  deps: Deps,
  { project }: ProjectSubject,
  deliveryId: string,
): Promise<undefined | Refused<'not_found' | 'no_webhook_address' | 'rate_limited'>> {
  const now = deps.now()
  const id = await findEventKind(deps.db.read, project.id, deliveryId)
  const row = id && (await findWebhook(deps.db.read, project.id, id))
  const limited = row && (await limitSending(deps, project, row))
  if (limited) return limited
  return deps.db.transaction(async (tx) => {
    const row = await updateEventRedelivered(tx, project.id, deliveryId, now)
    if (!row) return refuse('not_found')
    const hasAddress = await updateWebhookTried(tx, project.id, row.kind)
    return hasAddress ? undefined : refuse('no_webhook_address')
  })
}

/** Returns the ID of the delivery that will show the result. */
export async function testWebhook(
  deps: Deps,
  { project }: ProjectSubject,
  id: string,
): Promise<string | Refused<'not_found' | 'no_webhook_address' | 'rate_limited'>> {
  const row = await findOwnWebhook(deps, project, id)
  if (row instanceof Refused) return row
  const limited = await limitSending(deps, project, row)
  if (limited) return limited
  return deps.db.transaction(async (tx) => {
    const delivery_id = await addTestEvent(tx, deps, project.id, row.kind)
    if (delivery_id) deps.annotateAudit({ nouns: { delivery_id } })
    return delivery_id ?? refuse('no_webhook_address')
  })
}

/** A manual send goes to a host that may not expect it, so manual sends are limited per endpoint. */
export async function limitSending(
  deps: Deps,
  project: ProjectRow,
  row: WebhookRow,
): Promise<Refused<'rate_limited'> | undefined> {
  const { limits, now } = deps
  if (addressOf(deps, project, row) === null) return undefined
  const waitMs = await limits.attempts.takeAttempt('webhookTest', `${project.id} ${row.kind}`, now())
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

/** Returns the public keys for verifying signatures. */
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

export async function describeRow(deps: Deps, project: ProjectRow, row: WebhookRow) {
  const address = addressOf(deps, project, row) ?? ''
  const queue = { project_id: project.id, kind: row.kind }
  const waiting = await countPendingEvents(deps.db.read, queue, MAX_COUNTED)
  return describeWebhook(deps, row, { address, waiting })
}

export function formatOf({ config }: Pick<Deps, 'config'>, address: string | null): Format {
  const url = URL.parse(address ?? '')
  return url !== null && isChatAddress(url, config) ? 'chat' : 'generic'
}

/** Returns the secrets that currently sign messages to an endpoint, primary secret first. */
export function secretsOf(deps: Deps, row: WebhookRow): string[] {
  const open = (sealed: string) => deps.secrets.openText('webhookSecret', secretName(row), sealed)
  const isOldValid = row.old_secret_until !== null && row.old_secret_until > deps.now()
  return [
    row.secret === null ? derivedSecret(deps, row) : open(row.secret),
    ...(isOldValid && row.old_secret !== null ? [open(row.old_secret)] : []),
  ]
}

/** Endpoints saved before each endpoint had its own secret use a derived secret that is not stored. */
export function derivedSecret(
  { config, secrets }: Pick<Deps, 'config' | 'secrets'>,
  { project_id, kind }: Pick<WebhookRow, 'project_id' | 'kind'>,
): string {
  return addressSecret(config.webhookSecret ?? secrets.webhookRoot, project_id, kind)
}

export function isAdditional({ kind }: Pick<WebhookRow, 'kind'>): boolean {
  return kind.startsWith('whk_')
}

function describeWebhook(
  deps: Deps,
  row: WebhookRow,
  { address, waiting }: { address: string; waiting: number },
) {
  const state = row.paused_at === null ? (row.failures > 0 ? 'failing' : 'active') : 'paused'
  return {
    id: row.kind,
    kind: kindOf(row),
    name: row.name,
    address,
    format: formatOf(deps, address),
    enabled: row.enabled === 1,
    events: row.events === null ? null : (JSON.parse(row.events) as string[]),
    scripts: row.scripts === null ? null : (JSON.parse(row.scripts) as string[]),
    state: row.pause_reason === 'gone' ? 'disabled' : state,
    failures: row.failures,
    failing_since: row.failing_since,
    paused_at: row.paused_at,
    last_delivered_at: row.delivered_at,
    waiting,
    secret: secretsOf(deps, row)[0] ?? null,
    old_secret_until: row.old_secret_until,
  } as const
}

function kindOf({ kind }: Pick<WebhookRow, 'kind'>): WebhookKind | 'additional' {
  return kind in WEBHOOK_MEMBERS ? (kind as WebhookKind) : 'additional'
}

function describeDelivery(
  deps: Deps,
  row: EventRow,
  attempts: readonly WebhookDeliveryRow[],
  viewer: Viewer,
) {
  return {
    id: row.id,
    event_id: row.event_id ?? row.id,
    webhook_id: row.kind,
    kind: kindOf(row),
    type: row.type,
    state: row.state,
    created_at: row.created_at,
    next_attempt: row.due_at,
    attempts: attempts.map((one) => describeAttempt(deps, row, one, viewer)),
  }
}

function describeAttempt({ secrets }: Deps, { id }: EventRow, one: WebhookDeliveryRow, viewer: Viewer) {
  const address = secrets.openText('eventAddress', id, one.address)
  return {
    attempted_at: one.attempted_at,
    duration_ms: one.duration_ms,
    address: visibleAddress(address, viewer),
    status: one.status,
    answer: visibleText(one.answer, address, viewer),
    error: one.error,
  }
}
