/**
 * Reads the caller's permissions at the time of the change, because another change may just have revoked
 * them.
 */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import { lockAccount } from '../accounts/quotas.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { findMemberOf, listOwners } from '../people/store/members.ts'
import type { Caller } from './caller.ts'
import type { Scope } from './scopes.ts'
import { type Rights, rightsOf } from './seats.ts'
import { hasToken } from './store/tokens.ts'

export type Own = {
  readonly customer: CustomerRow
  readonly rights: Rights
  /** Whether the caller may create, edit and remove owners. A leaked API key alone must not allow that. */
  readonly changesOwners: boolean
}

/**
 * Locks the account until the transaction ends. If two callers revoke each other's permissions concurrently,
 * the second attempt is rejected.
 */
export async function lockRights(
  tx: Queries,
  customerId: string,
  caller: Caller,
  scope: Scope,
): Promise<Own | Refused<'unauthorized' | 'forbidden'>> {
  const account = await lockAccount(tx, customerId)
  if (account instanceof Refused) return account
  const { customer } = account
  const rights = await rightsNow(tx, customer, caller)
  if (!rights?.scopes.has(scope)) return refuse('forbidden', { needs: scope })
  return { customer, rights, changesOwners: rights.isOwner && (await isTrusted(tx, customer.id, caller)) }
}

/** While an account has no owner, its API key acts as an owner, so that it can invite the first one. */
async function isTrusted(tx: Queries, customerId: string, { actor }: Caller): Promise<boolean> {
  return actor.kind === 'person' || (await listOwners(tx, customerId)).length === 0
}

async function rightsNow(tx: Queries, customer: CustomerRow, caller: Caller): Promise<Rights | undefined> {
  const { kind, id } = caller.actor
  if (id === null) return caller
  if (kind === 'token') return (await hasToken(tx, customer.id, id)) ? caller : undefined
  const member = await findMemberOf(tx, customer.id, id)
  return member && rightsOf(member, customer)
}
