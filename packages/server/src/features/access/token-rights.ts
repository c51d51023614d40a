/** Parses a token's permissions from a request. They must not exceed the caller's own. */

import { type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import { listProjectIds } from '../projects/store/projects.ts'
import { type Caller, mayReach } from './caller.ts'
import { isPart, readNetwork } from './networks.ts'
import type { Scope } from './scopes.ts'

/** Null means no limit: all projects, all networks, or no expiry. */
export type TokenRights = {
  readonly scopes: readonly Scope[]
  readonly projects: readonly string[] | null
  readonly networks: readonly string[] | null
  readonly expires_at: number | null
}

type Failure = { readonly field: string; readonly errors: readonly string[] }
/** `needs` names the permission that the caller lacks. */
type Wider = Failure & { readonly needs: string }
type Context = {
  readonly customer: CustomerRow
  readonly caller: Caller
  readonly now: number
  /** Projects that the token is already limited to. It may keep them even if they were removed. */
  readonly kept?: readonly string[] | null
}

/** Normalizes the permissions and removes duplicates. Omitted fields stay absent. */
export async function readRights<R extends Partial<TokenRights>>(
  tx: Queries,
  given: R,
  { customer, caller, now, kept }: Context,
): Promise<R | Refused<'invalid_request'>> {
  const { scopes, projects, networks, expires_at } = given
  const reached = (projects ?? []).filter((id) => mayReach(caller, id) && !id.includes('\0'))
  const own = new Set([...(await listProjectIds(tx, customer.id, reached)), ...(kept ?? [])])
  const read = networks?.map(readNetwork)
  const failed = [
    ...failuresIn('projects', projects ?? [], (id) => own.has(id), 'must be the ID of one of your projects'),
    ...failuresIn('networks', read ?? [], (network) => network !== undefined, NETWORK_FIX),
    ...(typeof expires_at === 'number' && expires_at <= now
      ? [{ field: 'expires_at', errors: ['must be in the future, in Unix milliseconds'] }]
      : []),
  ]
  if (failed.length > 0) return refuse('invalid_request', { failed })
  return {
    ...given,
    ...(scopes && { scopes: [...new Set(scopes)] }),
    ...(projects && { projects: [...new Set(projects)] }),
    ...(read && { networks: [...new Set(read)] }),
  }
}

const NETWORK_FIX =
  'must be an IP address or a CIDR block, such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48'

export function refuseWider(caller: Caller, rights: TokenRights): Refused<'invalid_request'> | undefined {
  const failed = widerIn(caller, rights).map(({ field, errors }) => ({ field, errors }))
  return failed.length > 0 ? refuse('invalid_request', { failed }) : undefined
}

/** Lists the permissions that exceed the caller's. */
export function widerIn({ scopes, projects, bounds }: Caller, rights: TokenRights): Wider[] {
  const lacking = rights.scopes.filter((one) => !scopes.has(one))
  const wider: Wider[] = []
  if (lacking.length > 0)
    wider.push({
      field: 'scopes',
      errors: [`must be a subset of your own scopes, which lack ${lacking.join(', ')}`],
      needs: lacking[0] ?? '',
    })
  if (projects && !rights.projects?.every((id) => projects.has(id)))
    wider.push({
      field: 'projects',
      errors: ['must be among the projects you have access to'],
      needs: "access to all of the token's projects",
    })
  return [...wider, ...(bounds ? beyondBounds(bounds, rights) : [])]
}

function beyondBounds(
  bounds: NonNullable<Caller['bounds']>,
  { networks, expires_at }: Pick<TokenRights, 'networks' | 'expires_at'>,
): Wider[] {
  const wider: Wider[] = []
  const own = bounds.networks
  if (own && !networks?.every((network) => isPart(network, own)))
    wider.push({
      field: 'networks',
      errors: [`must be within your own token's networks: ${own.join(', ')}`],
      needs: "access from all of the token's networks",
    })
  const until = bounds.expiresAt
  if (until !== null && (expires_at === null || expires_at > until))
    wider.push({
      field: 'expires_at',
      errors: [`is required and must not be later than your own token's expiry, ${until}`],
      needs: "a credential that doesn't expire before the token",
    })
  return wider
}

function failuresIn<T>(
  field: string,
  list: readonly T[],
  isRight: (one: T) => boolean,
  fix: string,
): Failure[] {
  return list.flatMap((one, index) => (isRight(one) ? [] : [{ field: `${field}.${index}`, errors: [fix] }]))
}
