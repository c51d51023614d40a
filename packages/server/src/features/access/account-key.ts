/** The API key gives full access to an account, so only owners may receive a new key. */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { resetApiKey, resetApiKeyUnseen, takeApiKey } from '../accounts/api-keys.ts'
import { lockRights } from './own-rights.ts'
import type { TokenAsker } from './tokens.ts'

const OWNERS_ONLY = { needs: 'an owner of the account, or its latest API key' }

export function replaceAccountKey(
  deps: Deps,
  { customer, caller }: TokenAsker,
  overlapMs: number,
): Promise<string | Refused<'unauthorized' | 'forbidden'>> {
  return resetApiKey(deps, customer, overlapMs, (tx) => refuseStranger(tx, { customer, caller }))
}

/**
 * Returns the key that was held back when a reset was requested with the previous key. Works once, and only
 * for owners.
 */
export function takeAccountKey(
  deps: Deps,
  asker: TokenAsker,
): Promise<string | Refused<'unauthorized' | 'forbidden' | 'no_api_key_waits'>> {
  return deps.db.transaction(async (tx) => {
    const refused = await refuseStranger(tx, asker)
    return refused ?? takeApiKey(deps, tx, asker.customer.id)
  })
}

async function refuseStranger(
  tx: Queries,
  { customer, caller }: TokenAsker,
): Promise<Refused<'unauthorized' | 'forbidden'> | undefined> {
  const own = await lockRights(tx, customer.id, caller, 'account:write')
  if (own instanceof Refused) return own
  return own.rights.isOwner ? undefined : refuse('forbidden', OWNERS_ONLY)
}

/** The previous key may still be valid, but it must not revoke its successor. */
export async function replaceAccountKeyUnseen(
  deps: Deps,
  { customer, caller }: TokenAsker,
): Promise<undefined | Refused<'unauthorized' | 'forbidden' | 'mail_not_configured'>> {
  return caller.isOwner ? resetApiKeyUnseen(deps, customer) : refuse('forbidden', OWNERS_ONLY)
}
