/**
 * Manages the ordered checkpoints of an ad system, and the URLs that their owner enters on the provider's
 * site. Visitors' progress is in `visits/`.
 */

import { newId } from '../../api/ids.ts'
import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Config } from '../../config/config.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { ProviderId } from '../../platform/ad-providers/provider.ts'
import { maskProviderData } from '../../platform/ad-providers/provider-data.ts'
import { isAccountExpired, isReached, lockAccount } from '../accounts/quotas.ts'
import type { AdCheckpointSubject, AdSystemSubject } from '../projects/store/subjects.ts'
import { adsBase } from './addresses.ts'
import {
  openProviderData,
  providerOf,
  readLinkAndSettings,
  refuseLink,
  sealProviderData,
} from './providers.ts'
import { updateStaleAdAttempts } from './store/ad-attempts.ts'
import {
  type AdCheckpointChanges,
  type AdCheckpointRow,
  countAdCheckpoints,
  countCustomerAdCheckpoints,
  deleteAdCheckpoint,
  insertAdCheckpoint,
  listAdCheckpoints as listAdCheckpointRows,
  lockAdCheckpoint,
  updateAdCheckpoint,
  updateAdCheckpointOrder,
} from './store/ad-checkpoints.ts'
import { type AdSlotRow, deleteAdSlot, findAdSlot, insertAdSlot } from './store/ad-slots.ts'
import { lockAdSystem } from './store/ad-systems.ts'

export type AdCheckpointDraft = {
  readonly name: string
  readonly url: string
  readonly provider: ProviderId
  readonly provider_data: unknown
  /** ID of another checkpoint in the system. Empty for none. */
  readonly fallback_checkpoint_id?: string
  /** 0 if unknown. */
  readonly value_per_thousand?: number
}
export type AdCheckpointEdit = Partial<AdCheckpointDraft>

/** How long a prepared checkpoint stays reserved while the owner creates the link on the provider's site. */
const SLOT_MS = 86_400_000
/** Callback and postback IDs must not be guessable. */
const ID_BYTES = 24
/** A limit that exceeds any number of checkpoints and that both database engines accept. */
const ALL = 2 ** 31 - 1

/**
 * Reserves an ID and URLs for the next checkpoint of a system. Repeated calls return the same reservation.
 */
export async function prepareAdCheckpoint(deps: Deps, { customer, project, system }: AdSystemSubject) {
  const now = deps.now()
  const slot = await deps.db.transaction(async (tx) => {
    const refused = await refuseCheckpoint(tx, customer.id, now)
    if (refused) return refused
    if (!(await lockAdSystem(tx, project.id, system.id))) return refuse('not_found')
    const known = await findAdSlot(tx, system.id, now)
    const made = known ?? newSlot(deps, system.id, now)
    deps.annotateAudit({ nouns: { checkpoint_id: made.checkpoint_id } })
    if (!known) await insertAdSlot(tx, made)
    return made
  })
  return slot instanceof Refused ? slot : describeSlot(deps.config, slot)
}

/** Appends the prepared checkpoint to its system. */
export async function createAdCheckpoint(
  deps: Deps,
  { customer, project, system }: AdSystemSubject,
  draft: AdCheckpointDraft,
) {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const { provider, url, provider_data: settings } = draft
  const data = readLinkAndSettings(deps.config, { provider, url, settings })
  if (data instanceof Refused) return data
  return deps.db.transaction(async (tx) => {
    const refused = await refuseCheckpoint(tx, customer.id, now)
    if (refused) return refused
    if (!(await lockAdSystem(tx, project.id, system.id))) return refuse('not_found')
    const slot = await findAdSlot(tx, system.id, now)
    if (!slot) return refuse('checkpoint_not_prepared')
    const { checkpoint_id: id, callback_id, postback_id } = slot
    deps.annotateAudit({ nouns: { checkpoint_id: id } })
    const fallback = await readFallback(tx, { id, system_id: system.id }, draft.fallback_checkpoint_id)
    if (fallback instanceof Refused) return fallback
    await insertAdCheckpoint(tx, {
      id,
      system_id: system.id,
      index: await countAdCheckpoints(tx, system.id),
      name: draft.name.trim(),
      url: draft.url,
      provider: draft.provider,
      provider_data: sealProviderData(deps, id, data),
      callback_id,
      postback_id,
      created_at: now,
      value_per_thousand: draft.value_per_thousand || null,
      ...fallback,
    })
    await deleteAdSlot(tx, system.id)
    return id
  })
}

export async function listAdCheckpoints(
  deps: Deps,
  { system }: AdSystemSubject,
  { from = 0, limit = ALL }: { from?: number; limit?: number },
) {
  const rows = await listAdCheckpointRows(deps.db.read, system.id, { from, limit })
  const total = await countAdCheckpoints(deps.db.read, system.id)
  return { checkpoints: rows.map((row) => describeAdCheckpoint(deps, row)), total }
}

/**
 * New provider data replaces all existing data. A new provider needs its own data and gets a new postback
 * URL.
 */
export async function editAdCheckpoint(
  deps: Deps,
  { customer, system, checkpoint }: AdCheckpointSubject,
  edit: AdCheckpointEdit,
): Promise<
  | undefined
  | Refused<
      'account_expired' | 'cannot_edit_nothing' | 'invalid_provider_data' | 'invalid_request' | 'not_found'
    >
> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  if (Object.keys(edit).length === 0) return refuse('cannot_edit_nothing')
  return deps.db.transaction(async (tx) => {
    const row = await lockAdCheckpoint(tx, system.id, checkpoint.id)
    if (!row) return refuse('not_found')
    const changes = changesOf(deps, row, edit)
    if (changes instanceof Refused) return changes
    const fallback = await readFallback(tx, row, edit.fallback_checkpoint_id)
    if (fallback instanceof Refused) return fallback
    await updateAdCheckpoint(tx, system.id, row.id, { ...changes, ...fallback })
    // Ends the visits of visitors who were sent to the provider by the previous version of the checkpoint.
    const { url, provider, provider_data } = edit
    if ([url, provider, provider_data].some((one) => one !== undefined))
      await updateStaleAdAttempts(tx, row.id)
    return undefined
  })
}

/** Swaps the checkpoint with the one at `index`. */
export async function swapAdCheckpoint(
  deps: Deps,
  { customer, project, system, checkpoint }: AdCheckpointSubject,
  index: number,
): Promise<undefined | Refused<'invalid_index' | 'account_expired' | 'not_found'>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  return deps.db.transaction(async (tx) => {
    // Locks the system's row to protect the order of its checkpoints.
    if (!(await lockAdSystem(tx, project.id, system.id))) return refuse('not_found')
    const row = await lockAdCheckpoint(tx, system.id, checkpoint.id)
    if (!row) return refuse('not_found')
    if (index < 0 || index >= (await countAdCheckpoints(tx, system.id))) return refuse('invalid_index')
    if (index !== row.index)
      await updateAdCheckpointOrder(tx, system.id, { id: row.id, from: row.index, to: index })
    return undefined
  })
}

/** Succeeds even if the account is expired or the checkpoint was already removed. */
export async function removeAdCheckpoint(
  deps: Deps,
  { project, system, checkpoint }: AdCheckpointSubject,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockAdSystem(tx, project.id, system.id)
    await deleteAdCheckpoint(tx, system.id, checkpoint.id)
  })
}

export function describeAdCheckpoint(deps: Deps, row: AdCheckpointRow) {
  const provider = providerOf(row)
  return {
    id: row.id,
    system_id: row.system_id,
    index: row.index,
    name: row.name,
    url: row.url,
    provider: provider.id,
    provider_data: maskProviderData(provider, openProviderData(deps, row)),
    ...addressesOf(deps.config, row),
    created_at: row.created_at,
    total_started: row.total_started,
    total_completed: row.total_completed,
    fallback_checkpoint_id: row.fallback_checkpoint_id,
    value_per_thousand: row.value_per_thousand,
  }
}

/**
 * Checks that the account may have one more checkpoint. Locks the account, so the check holds until the
 * transaction ends.
 */
async function refuseCheckpoint(
  tx: Queries,
  customerId: string,
  now: number,
): Promise<Refused<'account_expired' | 'max_checkpoints_reached' | 'unauthorized'> | undefined> {
  const account = await lockAccount(tx, customerId)
  if (account instanceof Refused) return account
  const { customer, tier } = account
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const isFull = await isReached(tier.max_checkpoints, () => countCustomerAdCheckpoints(tx, customerId))
  return isFull ? refuse('max_checkpoints_reached') : undefined
}

/** Returns the column to update, or none if the field was omitted. */
async function readFallback(
  tx: Queries,
  { id, system_id }: Pick<AdCheckpointRow, 'id' | 'system_id'>,
  given: string | undefined,
): Promise<Partial<Pick<AdCheckpointRow, 'fallback_checkpoint_id'>> | Refused<'invalid_request'>> {
  if (given === undefined) return {}
  if (given === '') return { fallback_checkpoint_id: null }
  const others = await listAdCheckpointRows(tx, system_id, { from: 0, limit: ALL })
  if (given !== id && others.some((one) => one.id === given)) return { fallback_checkpoint_id: given }
  return refuseMember('fallback_checkpoint_id', 'must be another checkpoint in the same ad system, or empty')
}

function newSlot(deps: Deps, systemId: string, now: number): AdSlotRow {
  return {
    system_id: systemId,
    checkpoint_id: newId('chk', now, deps.random),
    callback_id: deps.random(ID_BYTES).toString('base64url'),
    postback_id: deps.random(ID_BYTES).toString('base64url'),
    expires_at: now + SLOT_MS,
  }
}

function describeSlot(config: Config, slot: AdSlotRow) {
  return {
    checkpoint_id: slot.checkpoint_id,
    ...addressesOf(config, slot),
    expires_at: slot.expires_at,
  }
}

function addressesOf(
  config: Config,
  { callback_id, postback_id }: Pick<AdSlotRow, 'callback_id' | 'postback_id'>,
) {
  const base = adsBase(config)
  return {
    callback_id,
    postback_id,
    callback_url: `${base}/verify/${callback_id}`,
    postback_url: `${base}/postback/${postback_id}`,
  }
}

function changesOf(
  deps: Deps,
  row: AdCheckpointRow,
  { name, url = row.url, provider = row.provider as ProviderId, ...edit }: AdCheckpointEdit,
): AdCheckpointChanges | Refused<'invalid_provider_data' | 'invalid_request'> {
  const isMoved = provider !== row.provider
  const stored = openProviderData(deps, row)
  // Settings and links that aren't edited stay unchanged, even if they would be rejected today.
  const isSame = edit.provider_data === undefined && !isMoved
  const link = url !== row.url || isMoved ? url : undefined
  const given = { provider, url: link, settings: edit.provider_data ?? {}, stored: isMoved ? {} : stored }
  const data = isSame
    ? ((link === undefined ? undefined : refuseLink(deps.config, provider, link)) ?? stored)
    : readLinkAndSettings(deps.config, given)
  if (data instanceof Refused) return data
  return {
    name: name?.trim() ?? row.name,
    url,
    provider,
    provider_data: sealProviderData(deps, row.id, data),
    value_per_thousand: (edit.value_per_thousand ?? row.value_per_thousand) || null,
    // The owner may have fixed the settings. The next visit will show whether they did.
    misconfigured_at: null,
    // Invalidates the old URL, so that the previous provider can no longer confirm visits.
    ...(isMoved ? { postback_id: deps.random(ID_BYTES).toString('base64url') } : {}),
  }
}
