/**
 * The network lock of an earned key without a device, for the key's page and for the owner. Only the owner or
 * the browser that earned the key can unlock it. If knowing the key were enough to unlock it, keys could be
 * sold.
 */

import { type Refused, refuse } from '../../../api/refusals.ts'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { isAccountExpired } from '../../accounts/quotas.ts'
import type { UserSubject } from '../../projects/store/subjects.ts'
import { findAdKeyLock, updateAdKey } from '../store/ad-keys.ts'
import { LOCK_MS } from './claims.ts'
import { type Presence, recognize } from './visitors.ts'

export type OwnLock = {
  /** Deadline for the first use, in milliseconds since 1970. */
  readonly until: number
  /**
   * `here`: the key can be used from this network. `earner`: this browser can unlock the key. `elsewhere`:
   * only another browser can.
   */
  readonly kind: 'here' | 'earner' | 'elsewhere'
}

/** Returns undefined if the key isn't locked. */
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

/** Moves the lock to the visitor's current network and restarts the deadline. */
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
 * Lets the owner unlock the key. The owner may give the key to anyone, so its first use may come from
 * anywhere after that.
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
  const visitor = await recognize(deps, presence)
  return typeof visitor === 'object' && visitor.id_hash === lock.visitor
}
