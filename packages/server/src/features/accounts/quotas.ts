/**
 * An account's limits: its expiry and its tier's limits. Limits apply to the entire account, so lock the
 * account (`lockAccount`) before you check a limit.
 */

import { type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import { type CustomerRow, lockCustomer } from './store/customers.ts'
import { findTier, type TierRow } from './store/tiers.ts'

const NO_LIMIT = -1

/** Call this before the work starts, and again under the account's lock before anything is created. */
export function isAccountExpired(customer: CustomerRow, now: number): boolean {
  return customer.plan_expires <= now
}

/** Returns whether the tier's limit is reached. Counts only if there is a limit. */
export async function isReached(limit: number | undefined, count: () => Promise<number>): Promise<boolean> {
  return limit !== NO_LIMIT && (await count()) >= (limit ?? 0)
}

/** Returns whether the tier's limit would be exceeded. */
export async function isExceeded(limit: number, count: () => Promise<number>): Promise<boolean> {
  return limit !== NO_LIMIT && (await count()) > limit
}

export type Account = { readonly customer: CustomerRow; readonly tier: TierRow }

/**
 * Locks the account and its tier until the transaction ends. Fails if the account was removed after the
 * request began.
 */
export async function lockAccount(
  tx: Queries,
  customerId: string,
): Promise<Account | Refused<'unauthorized'>> {
  const customer = await lockCustomer(tx, customerId)
  const tier = customer && (await findTier(tx, customer.tier))
  return customer && tier ? { customer, tier } : refuse('unauthorized')
}
