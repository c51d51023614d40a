/** The API key opens all of an account, so only those who own the account may be handed a new one. */
import type { Deps } from '../../deps.ts'
import { resetApiKey } from '../accounts/api-keys.ts'
import { Refused, refuse } from '../refusals.ts'
import { lockRights } from './own-rights.ts'
import type { TokenAsker } from './tokens.ts'

export function replaceAccountKey(
  deps: Deps,
  { customer, caller }: TokenAsker,
  overlapMs: number,
): Promise<string | Refused<'unauthorized' | 'forbidden'>> {
  return resetApiKey(deps, customer, overlapMs, async (tx) => {
    const own = await lockRights(tx, customer.id, caller, 'account:write')
    if (own instanceof Refused) return own
    return own.rights.isOwner ? undefined : refuse('forbidden', { needs: 'an owner of the account' })
  })
}
