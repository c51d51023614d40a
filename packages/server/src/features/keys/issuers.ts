/**
 * Restrictions for callers who may issue keys but not write users, and limits for callers who can see only
 * their own users.
 */

import { type Reason, type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Caller, Issuer } from '../access/caller.ts'
import { claimPlan } from '../plans/store.ts'
import type { ProjectRow } from '../projects/store/projects.ts'

/** The issuer and scopes of the caller who creates users. */
export type Maker = Pick<Caller, 'issuer' | 'scopes'>

/** Fields that scripts don't rely on. With any other field, a reseller could grant paid features for free. */
const FREE: ReadonlySet<string> = new Set(['plan_id', 'note', 'chat_id', 'amount'])
const NOT_THEIRS = 'requires users:write. Leave it out, and set plan_id to a plan that includes it'
const NO_PLAN =
  'must be a plan marked as resellable. GET /v1/projects/:project_id/plans lists the plans you may issue; anyone who can edit plans can mark more of them. Send it in the body of POST /v1/projects/:project_id/users/new and …/generate'

/** Without `users:write`, callers may create keys only with resellable plans and the fields in `FREE`. */
export async function refuseUnsold(
  tx: Queries,
  { id }: ProjectRow,
  draft: { readonly plan_id?: string; readonly keys_expire?: number },
  maker: Maker | undefined,
): Promise<Refused<'invalid_request'> | undefined> {
  if (maker === undefined || maker.scopes.has('users:write')) return undefined
  const other = Object.entries(draft).find(([name, value]) => value !== undefined && !FREE.has(name))
  if (other) return refuseMember(other[0], NOT_THEIRS)
  const plan = draft.plan_id ? await claimPlan(tx, id, draft.plan_id) : undefined
  return plan?.resellable === 1 ? undefined : refuseMember('plan_id', NO_PLAN)
}

/**
 * Returns the reason why an import skips an entry, or undefined to import the entry. Scripts rely on
 * `features` and `metadata`, and no bulk change sets them.
 */
export function refuseUngranted(
  { features, metadata }: { readonly features: string | null; readonly metadata: string | null },
  maker: Maker | undefined,
): string | undefined {
  if (maker === undefined || maker.scopes.has('users:write')) return undefined
  if (features !== null) return 'features: requires users:write'
  return metadata === null ? undefined : 'metadata: requires users:write'
}

/** `reason` is the endpoint's existing error code for too many users, which clients already handle. */
export function refuseIssued<R extends Reason>(
  reason: R,
  issuer: Issuer | undefined,
  count: number,
): Refused<R> | undefined {
  const limit = issuer?.maxKeys ?? Number.POSITIVE_INFINITY
  if (count <= limit) return undefined
  const needs = `a limit above ${limit} issued keys: an admin can raise max_keys`
  return refuse(reason, { limit, needs })
}
