/** How many users those may have issued who do not see the users of others. */
import type { Issuer } from '../access/caller.ts'
import { type Reason, type Refused, refuse } from '../refusals.ts'

/** The reason is the endpoint's own for too many users, so that software knows it already. */
export function refuseIssued<R extends Reason>(
  reason: R,
  issuer: Issuer | undefined,
  count: number,
): Refused<R> | undefined {
  const limit = issuer?.maxKeys ?? Number.POSITIVE_INFINITY
  if (count <= limit) return undefined
  const needs = `at most ${limit} keys that you issued at once, or a higher max_keys from an admin`
  return refuse(reason, { limit, needs })
}
