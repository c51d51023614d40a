/**
 * Manages a project's additional webhook endpoints, each with its own name, filters, secret, deliveries and
 * retries. Delivery works as for the three built-in endpoints.
 */

import { newId } from '../../api/ids.ts'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { listScriptIds } from '../projects/store/branding.ts'
import { lockProject, type ProjectRow } from '../projects/store/projects.ts'
import {
  derivedSecret,
  describeRow,
  findOwnWebhook,
  sealAddress,
  sealSecret,
  secretName,
  type WebhookResource,
} from './addresses.ts'
import type { EventType } from './events/event-catalog.ts'
import { readAddress } from './send/address.ts'
import { updatePendingEvents } from './store/outbox.ts'
import {
  countAddresses,
  deleteWebhook,
  findWebhook,
  insertAddress,
  updateAddress,
  updateAddressSecret,
  type WebhookId,
  type WebhookRow,
} from './store/webhooks.ts'

type Owner = { readonly customer: CustomerRow; readonly project: ProjectRow }
type Asker = Owner & { readonly caller: { readonly scopes: ReadonlySet<string> } }
/** Null means all. Omitted fields stay unchanged. */
export type AddressMembers = {
  readonly name?: string | undefined
  readonly address?: string | undefined
  readonly events?: readonly EventType[] | null | undefined
  readonly scripts?: readonly string[] | null | undefined
  readonly enabled?: boolean | undefined
}
type Named = { readonly id: string }
type Columns = Partial<Pick<WebhookRow, 'name' | 'address' | 'events' | 'scripts' | 'enabled'>>

export const MAX_ADDRESSES = 10

export async function addAddress(
  deps: Deps,
  { customer, project, caller }: Asker,
  members: AddressMembers & { readonly name: string; readonly address: string },
): Promise<WebhookResource | Refused<'invalid_request' | 'not_found' | 'forbidden' | 'too_many_webhooks'>> {
  const unread = refuseUnread(caller)
  if (unread) return unread
  const id = newId('whk', deps.now(), deps.random) as WebhookId
  const columns = columnsOf(deps, { project, id }, members)
  if (columns instanceof Refused) return columns
  deps.annotateAudit({ nouns: { webhook_id: id } })
  const row = await deps.db.transaction(async (tx) => {
    if ((await lockProject(tx, customer.id, project.id)) === null) return refuse('not_found')
    if ((await countAddresses(tx, project.id)) >= MAX_ADDRESSES) return refuse('too_many_webhooks')
    const unknown = await refuseUnknownScripts(tx, project.id, members.scripts)
    if (unknown) return unknown
    const secret = sealSecret(deps, id)
    return insertAddress(tx, { ...columns, secret, project_id: project.id, kind: id })
  })
  return row instanceof Refused ? row : describeRow(deps, project, row)
}

/**
 * An endpoint that has been saved or re-enabled starts out healthy. Pending events of a disabled endpoint are
 * dropped.
 */
export async function editAddress(
  deps: Deps,
  { customer, project, caller }: Asker,
  { id: given, ...members }: AddressMembers & Named,
): Promise<WebhookResource | Refused<'cannot_edit_nothing' | 'invalid_request' | 'not_found' | 'forbidden'>> {
  const unread = refuseUnread(caller)
  if (unread) return unread
  const id = readId(given)
  if (id instanceof Refused) return id
  const columns = columnsOf(deps, { project, id }, members)
  if (columns instanceof Refused) return columns
  if (Object.keys(columns).length === 0) return refuse('cannot_edit_nothing')
  const isSavedAgain = members.address !== undefined || members.enabled === true
  const row = await deps.db.transaction(async (tx) => {
    if ((await lockProject(tx, customer.id, project.id)) === null) return refuse('not_found')
    const before = await findWebhook(tx, project.id, id)
    if (before === undefined) return refuse('not_found')
    const unknown = await refuseUnknownScripts(tx, project.id, members.scripts, before.scripts)
    if (unknown) return unknown
    deps.annotateAudit({ before: asMembers(before), isNullValue: true })
    if (members.enabled === false)
      await updatePendingEvents(tx, { project_id: project.id, kind: id }, 'dropped')
    return (
      (await updateAddress(tx, { projectId: project.id, id, isSavedAgain }, columns)) ?? refuse('not_found')
    )
  })
  return row instanceof Refused ? row : describeRow(deps, project, row)
}

/** Drops pending events. Sent events stay in the project's log. */
export async function removeAddress(
  { db }: Deps,
  { project }: Owner,
  given: string,
): Promise<undefined | Refused<'invalid_request' | 'not_found'>> {
  const id = readId(given)
  if (id instanceof Refused) return id
  return db.transaction(async (tx) => {
    if (!(await deleteWebhook(tx, project.id, id))) return refuse('not_found')
    await updatePendingEvents(tx, { project_id: project.id, kind: id }, 'dropped')
    return undefined
  })
}

/**
 * Works for any endpoint, including the three built-in ones. The previous secret also signs messages for
 * `overlapMs`.
 */
export async function rotateSecret(
  deps: Deps,
  { project }: Owner,
  { id, overlapMs }: Named & { readonly overlapMs: number },
): Promise<WebhookResource | Refused<'not_found' | 'no_webhook_address'>> {
  const known = await findOwnWebhook(deps, project, id)
  if (known instanceof Refused) return known
  const name = secretName(known)
  const rotation = {
    secret: sealSecret(deps, name),
    derived: deps.secrets.sealText('webhookSecret', name, derivedSecret(deps, known)),
    until: overlapMs > 0 ? deps.now() + overlapMs : null,
  }
  const row = await deps.db.transaction((tx) => updateAddressSecret(tx, known.seq, rotation))
  return row === undefined ? refuse('not_found') : describeRow(deps, project, row)
}

/** Events contain user keys, so callers who can't read users can't send events to another URL. */
function refuseUnread({ scopes }: Asker['caller']): Refused<'forbidden'> | undefined {
  return scopes.has('users:read') ? undefined : refuse('forbidden', { needs: 'users:read' })
}

/** For one of the three built-in endpoints, the error names the project field to change instead. */
function readId(id: string): WebhookId | Refused<'invalid_request' | 'not_found'> {
  if (id === 'execution' || id === 'information' || id === 'blacklist')
    return refuseMember(
      'webhook_id',
      `is one of the project's three fixed webhooks. Change ${id}_webhook of the project instead`,
    )
  return id.startsWith('whk_') ? (id as WebhookId) : refuse('not_found')
}

function columnsOf(
  deps: Deps,
  { project, id }: { readonly project: ProjectRow; readonly id: WebhookId },
  { name, address, events, scripts, enabled }: AddressMembers,
): Columns | Refused<'invalid_request'> {
  const url = address === undefined ? undefined : readAddress(address, deps.config)
  if (typeof url === 'string') return refuseMember('address', url)
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(url !== undefined && { address: sealAddress(deps, project.id, id, url.href) }),
    ...(events !== undefined && { events: events && JSON.stringify(events) }),
    ...(scripts !== undefined && { scripts: scripts && JSON.stringify(scripts) }),
    ...(enabled !== undefined && { enabled: enabled ? (1 as const) : (0 as const) }),
  }
}

/** `before` is the endpoint's current list as JSON. It may keep scripts that were removed since. */
async function refuseUnknownScripts(
  tx: Queries,
  projectId: string,
  scripts: readonly string[] | null | undefined,
  before: string | null = null,
): Promise<Refused<'invalid_request'> | undefined> {
  if (!scripts) return undefined
  const existing = new Set([...(await listScriptIds(tx, projectId)), ...(listIn(before) ?? [])])
  const bad = scripts.findIndex((id) => !existing.has(id))
  return bad < 0 ? undefined : refuseMember(`scripts.${bad}`, 'must be the ID of a script in this project')
}

/** Returns the fields for the audit log, which hides the URL. */
function asMembers({ name, address, events, scripts, enabled }: WebhookRow) {
  return { name, address, events: listIn(events), scripts: listIn(scripts), enabled }
}

function listIn(json: string | null): string[] | null {
  return json === null ? null : (JSON.parse(json) as string[])
}
