/**
 * Account actions that are reserved for operators: blocking an account, replacing its API key, and removing
 * it with everything it owns.
 */

import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isBlacklisted } from '../key-validity/blacklist.ts'
import { deleteProjects } from '../projects/store/projects.ts'
import { endSessions } from '../sessions/sessions.ts'
import { resetApiKey } from './api-keys.ts'
import {
  type CustomerRow,
  deleteCustomer,
  findCustomer,
  lockCustomer,
  updateCustomer,
} from './store/customers.ts'

/**
 * Only owners may change operator accounts. Otherwise, anyone who can issue a key for an operator account, or
 * turn an account into an operator account, could take over the server.
 */
export async function refuseOperators(
  { db }: Deps,
  { isOwner }: { readonly isOwner: boolean },
  { id, admin }: { readonly id: string; readonly admin?: boolean | number },
): Promise<undefined | Refused<'forbidden'>> {
  if (isOwner) return undefined
  const isAbout = Boolean(admin) || (await findCustomer(db.read, id))?.admin === 1
  return isAbout ? refuse('forbidden', { needs: 'an owner of an operator account' }) : undefined
}

/** Permanent when `expires` is missing or 0. */
export type Blacklist = { readonly expires?: number; readonly reason?: string }

export async function blacklistCustomer(
  deps: Deps,
  id: string,
  { expires = 0, reason }: Blacklist,
): Promise<undefined | Refused<'customer_already_blacklisted' | 'invalid_request' | 'not_found'>> {
  const now = deps.now()
  if (expires !== 0 && expires <= now)
    return refuseMember('expires', 'must be in the future, or 0 for no expiry')
  const refused = await changeStanding(deps, id, (customer) =>
    isBlacklisted(customer, now)
      ? refuse('customer_already_blacklisted')
      : {
          blacklisted: 1,
          blacklist_reason: reason?.trim() || null,
          blacklist_expires: expires === 0 ? null : expires,
        },
  )
  if (!refused) await endSessions(deps, { customer_id: id }, 'service_unavailable')
  return refused
}

export function unblacklistCustomer(
  deps: Deps,
  id: string,
): Promise<undefined | Refused<'customer_not_blacklisted' | 'not_found'>> {
  return changeStanding(deps, id, (customer) =>
    isBlacklisted(customer, deps.now())
      ? { blacklisted: 0, blacklist_reason: null, blacklist_expires: null }
      : refuse('customer_not_blacklisted'),
  )
}

/** Returns the new key, which is shown only here. The previous one stops working immediately. */
export async function replaceApiKey(deps: Deps, id: string): Promise<string | Refused<'not_found'>> {
  const customer = await findCustomer(deps.db.read, id)
  if (!customer) return refuse('not_found')
  const apiKey = await resetApiKey(deps, customer)
  // If the account has just replaced its own key, the first reset is rejected. The operator's request must
  // still succeed.
  return apiKey instanceof Refused ? replaceApiKey(deps, id) : apiKey
}

/** Works for accounts of any size, even with millions of users. */
export async function removeCustomer(deps: Deps, id: string): Promise<undefined | Refused<'not_found'>> {
  const refused = await deps.db.bulk(async (tx) => {
    if (!(await lockCustomer(tx, id))) return refuse('not_found')
    await deleteProjects(tx, id)
    await deleteCustomer(tx, id)
    return undefined
  })
  if (refused) return refused
  await endSessions(deps, { customer_id: id }, 'script_removed')
  return undefined
}

type AccountState = Pick<CustomerRow, 'blacklisted' | 'blacklist_reason' | 'blacklist_expires'>

function changeStanding<R extends 'customer_already_blacklisted' | 'customer_not_blacklisted'>(
  deps: Deps,
  id: string,
  stateFor: (customer: CustomerRow) => AccountState | Refused<R>,
): Promise<undefined | Refused<R | 'not_found'>> {
  return deps.db.transaction(async (tx) => {
    const customer = await lockCustomer(tx, id)
    if (!customer) return refuse('not_found')
    const standing = stateFor(customer)
    if (standing instanceof Refused) return standing
    await updateCustomer(tx, id, standing)
    return undefined
  })
}
