/**
 * The lock of an ad key that is bound to no device, as the key's page and its owner see it. Knowing the key is not
 * enough to unlock it, otherwise keys could be sold: only the browser that earned it or the owner can.
 */

import { type Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { isAccountExpired } from '../../accounts/quotas.ts'
import type { UserSubject } from '../../projects/store/subjects.ts'
import { findAdKeyLock, updateAdKey } from '../store/ad-keys.ts'
import { LOCK_MS } from './claims.ts'
import { type Presence, recognise } from './visitors.ts'

export type OwnLock = {
  /** Deadline for the first use, in milliseconds since 1970. */
  readonly until: number
  /**
   * `here`: the key may be used from this network. `earner`: it can be unlocked here. `elsewhere`: only in another
   * browser.
   */
  readonly kind: 'here' | 'earner' | 'elsewhere'
}

/** Undefined when the key is not locked. */
export async function findOwnLock(
  deps: Deps,
  { user }: UserSubject,
  presence: Presence,
): Promise<OwnLock | undefined> {
  const lock = await readLock(deps.db.read, user)
  if (lock === undefined) return undefined
  const until = lock.locked_until ?? 0
  if (lock.locked_network === presence.network && deps.now() < until) return { until, kind: 'here' }
  return { until, kind: (await isEarner(deps, lock, presence)) ? 'earner' : 'elsewhere' }
}

/** Moves the lock to the network of this visit and restarts its full duration. */
export async function unlockOwn(
  deps: Deps,
  { user }: UserSubject,
  presence: Presence,
): Promise<Refused<'forbidden'> | undefined> {
  const lock = await readLock(deps.db.read, user)
  if (lock === undefined || !(await isEarner(deps, lock, presence))) return refuse('forbidden')
  const changes = { locked_network: presence.network, locked_until: deps.now() + LOCK_MS }
  await deps.db.transaction((tx) => updateAdKey(tx, user, changes))
  return undefined
}

/**
 * Lets the owner unlock the key. Its first use may then come from anywhere, because the owner may give it
 * to anyone.
 */
export async function unlockUser(
  { db, now }: Deps,
  { customer, user }: UserSubject,
): Promise<Refused<'account_expired' | 'user_not_locked'> | undefined> {
  if (isAccountExpired(customer, now())) return refuse('account_expired')
  return db.transaction(async (tx) => {
    if ((await readLock(tx, user)) === undefined) return refuse('user_not_locked')
    await updateAdKey(tx, user, { locked_network: null, locked_until: null })
    return undefined
  })
}

async function readLock(db: Queries, user: UserSubject['user']) {
  if (user.ad_system_id === null || user.executions > 0) return undefined
  const lock = await findAdKeyLock(db, user)
  return lock === null || lock.locked_network === null ? undefined : lock
}

async function isEarner(
  deps: Deps,
  lock: { readonly visitor: string },
  presence: Presence,
): Promise<boolean> {
  const visitor = await recognise(deps, presence)
  return typeof visitor === 'object' && visitor.id_hash === lock.visitor
}
