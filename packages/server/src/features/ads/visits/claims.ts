/**
 * Issues the visitor's reward: a new key, or an extension of an existing one. Completing the steps once
 * yields one key, no matter how often or from where the visitor claims it.
 */

import { Refused } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { lockAccount } from '../../accounts/quotas.ts'
import { addDevice } from '../../devices/bindings.ts'
import { STRENGTHS } from '../../devices/device-data.ts'
import { insertUser, lockUser, type UserRow, updateUser } from '../../keys/store/users.ts'
import { newKey } from '../../projects/key-formats.ts'
import { changeUserCount } from '../../projects/store/projects.ts'
import { addEvent, eventUser } from '../../webhooks/events/events.ts'
import { countFinish } from '../counts.ts'
import type { Notice } from '../notices.ts'
import { type EarnedKey, insertAdKey, updateAdKey, updateExtendedAdKey } from '../store/ad-keys.ts'
import { type AdProgressRow, lockAdProgress, updateAdProgress } from '../store/ad-progress.ts'
import { findVisitedAdSystem, lockAdSystem, type VisitedAdSystem } from '../store/ad-systems.ts'
import { type Earner, findProspect, listEarnings, type Prospect } from './earnings.ts'
import { isServed, listCheckpoints, phaseOf, type Situation } from './progress.ts'

/**
 * How soon a key that was earned without a device must be used for the first time. That use must come from
 * the network where the key was earned.
 */
export const LOCK_MS = 86_400_000

/** Returns undefined if the visitor has their key, whether from this claim or an earlier one. */
export async function claimKey(deps: Deps, situation: Situation): Promise<Notice | undefined> {
  const { progress, system, visitor, now } = situation
  if (!progress || !visitor || phaseOf(situation) !== 'ready' || !isServed(system, now)) return undefined
  return deps.db.transaction((tx) => issue(deps, tx, situation, progress))
}

/** Unlocks a key for the visitor's current network. */
export async function unlockKey(
  { db }: Pick<Deps, 'db'>,
  { system, visitor, presence, now }: Situation,
  key: string,
): Promise<void> {
  if (!visitor) return
  await db.transaction(async (tx) => {
    const { own } = await listEarnings(tx, system, { ...presence, visitor: visitor.id_hash, device: null })
    const found = own.find(({ user_key }) => user_key === key)
    if (!found || found.locked_network === null || found.executions > 0) return
    await updateAdKey(
      tx,
      { project_id: system.project_id, key },
      { locked_network: presence.network, locked_until: now + LOCK_MS },
    )
  })
}

/** Locks the owner's row first, because all code takes locks in this order. */
async function issue(
  deps: Deps,
  tx: Queries,
  { system: { id, customer_id, project_id }, presence, visitor, now }: Situation,
  begun: AdProgressRow,
): Promise<Notice | undefined> {
  if ((await lockAccount(tx, customer_id)) instanceof Refused) return undefined
  if (!(await changeUserCount(tx, customer_id, project_id, { users: 0, fromAds: 0 }))) return undefined
  if (!(await lockAdSystem(tx, project_id, id))) return undefined
  const system = await findVisitedAdSystem(tx, id)
  const progress = await lockAdProgress(tx, begun.id)
  if (!system || !progress || !visitor) return undefined
  const checkpoints = await listCheckpoints(tx, id)
  if (phaseOf({ progress, checkpoints, now, attempt: undefined }) !== 'ready') return undefined
  const { network, browser } = presence
  const earner = { visitor: visitor.id_hash, device: progress.device, network, browser }
  const prospect = await settleProspect(tx, system, earner, now)
  if (prospect.kind === 'refused') return noticeOf(prospect)
  const isExtended = prospect.kind === 'extend'
  const key = isExtended ? await extend(deps, tx, system, prospect) : await create(deps, tx, system, earner)
  const issued = { user_key: key, issued_at: now, extended: isExtended ? 1 : 0, state: 'issued' } as const
  await updateAdProgress(tx, progress.id, { ...issued, network, notice: null })
  await countFinish(tx, { id, now, keys: isExtended ? 0 : 1 })
  return undefined
}

/** Locks a key before it is extended, so that the extension includes concurrent changes to the key. */
async function settleProspect(
  tx: Queries,
  system: VisitedAdSystem,
  earner: Earner,
  now: number,
): Promise<Prospect> {
  let locked: string | undefined
  for (;;) {
    const prospect = await findProspect(tx, system, await listEarnings(tx, system, earner), now)
    if (prospect.kind !== 'extend' || prospect.key.user_key === locked) return prospect
    locked = prospect.key.user_key
    await lockUser(tx, prospect.key.project_id, locked)
  }
}

async function extend(
  deps: Deps,
  tx: Queries,
  system: VisitedAdSystem,
  { key, key_expires }: { readonly key: EarnedKey; readonly key_expires: number },
): Promise<string> {
  const before = await lockUser(tx, key.project_id, key.user_key)
  const user = before && (await updateUser(tx, key.project_id, key.user_key, { key_expires }))
  if (!user) throw new Error('a key that was found in this transaction is gone')
  await updateExtendedAdKey(tx, user)
  const data = { user: eventUser(user), actor: 'user', system: named(system) } as const
  await addEvent(tx, deps, {
    type: 'user.key_extended',
    project_id: user.project_id,
    data: { ...data, old_key_expires: before.key_expires },
  })
  return key.user_key
}

async function create(deps: Deps, tx: Queries, system: VisitedAdSystem, earner: Earner): Promise<string> {
  const now = deps.now()
  const { project_id, customer_id, id } = system
  await changeUserCount(tx, customer_id, project_id, { users: 1, fromAds: 1 })
  const user = await insertUser(tx, {
    key: newKey(deps.random, system.key_format),
    project_id,
    created_at: now,
    key_expires: now + system.key_duration,
    note: `ad: ${system.name}`,
    ad_system_id: id,
  })
  const lock = { locked_network: earner.network, locked_until: now + LOCK_MS }
  await insertAdKey(tx, {
    ...earner,
    user_key: user.key,
    project_id,
    system_id: id,
    created_at: now,
    ...(earner.device === null ? lock : {}),
  })
  if (earner.device !== null) await bind(deps, tx, user, earner.device)
  const data = { user: eventUser(user), actor: 'user', system: named(system) } as const
  await addEvent(tx, deps, { type: 'user.key_issued', project_id, data })
  return user.key
}

/** Binds the key to the ticket's device, as if that device had used it. */
async function bind(deps: Deps, tx: Queries, { key, project_id }: UserRow, device: string): Promise<void> {
  const [component = '', hash = ''] = device.split(':')
  const display = { ip: 'none', fingerprint: `${hash.slice(0, 4)}…${hash.slice(-4)}`, executor: '**' }
  const fingerprint_display = JSON.stringify(display)
  const components = [{ component, strength: STRENGTHS.strong, hash }]
  const added = { known: [], components, display: fingerprint_display, used: null }
  await addDevice(tx, deps, { project_id, key }, added)
  await updateUser(tx, project_id, key, { fingerprint_assigned: 1, fingerprint_display })
}

function named({ id, name }: VisitedAdSystem) {
  return { id, name }
}

function noticeOf({ reason, allowedAt }: Extract<Prospect, { kind: 'refused' }>): Notice {
  return allowedAt === undefined ? { reason } : { reason, allowedAt }
}
