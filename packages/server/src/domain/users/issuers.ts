/** How many users those may have issued who do not see the users of others. */
import type { Issuer } from '../access/caller.ts'
import { type Reason, type Refused, refuse } from '../refusals.ts'

export function isMoreThanMay(issuer: Issuer | undefined, count: number): issuer is Issuer {
  return issuer !== undefined && issuer.maxKeys !== null && count > issuer.maxKeys
}

/** The reason is the endpoint's own for too many users, so that software knows it already. */
export function refuseIssuer<R extends Reason>(reason: R, { maxKeys }: Issuer): Refused<R> {
  const needs = `at most ${maxKeys} keys that you issued at once, or a higher max_keys from an admin`
  return refuse(reason, { limit: maxKeys, needs })
}
