/** A bulk change to the users of a project that match a filter or have the given keys. */

import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { reportRemoval } from '../keys/removals.ts'
import { listPresentKeys } from '../keys/store/user-bulk.ts'
import type { UserFilter } from '../keys/store/user-filter.ts'
import { claimPlan, findPlan } from '../plans/store.ts'
import { lockProject } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { addEvent } from '../webhooks/events/events.ts'
import {
  type Candidates,
  type Changed,
  changeUsers,
  type Preview,
  previewUsers,
  type UserChange,
} from './apply-change.ts'
import { type BulkActionMembers, type BulkActionName, parseBulkAction } from './bulk-actions.ts'
import { matching, withKeys } from './candidates.ts'
import { withCustomerLock } from './customer-lock.ts'

/** Maximum number of keys per call. */
export const MAX_KEYS = 5000

export type BulkAction = {
  readonly action: BulkActionName
  readonly members: BulkActionMembers
  /** Exactly one of `keys` and `filter` must be given. */
  readonly keys?: readonly string[]
  readonly filter?: UserFilter
}
/** The actual or previewed result for one key in the request. */
type Verdict = { readonly user_key: string; readonly verdict: 'changed' | 'unchanged' | 'not_found' }
type Verdicts = { readonly entries?: Verdict[] }
type BulkActionRefused = Refused<
  | 'account_expired'
  | 'must_filter_something'
  | 'no_users_given'
  | 'invalid_request'
  | 'rate_limited'
  | 'unavailable'
  | 'not_found'
>

/** Like every removal, the `remove` action works even for an expired account. */
export async function changeSome(
  deps: Deps,
  subject: ProjectSubject,
  order: BulkAction,
): Promise<(Changed & Verdicts) | BulkActionRefused> {
  const read = await readChange(deps, subject, order)
  if (read instanceof Refused) return read
  const { change, touched } = read
  const verdicts = await verdictsOf(deps, subject, order)
  const changed = await withCustomerLock(deps, subject, () => changeUsers(deps, subject, change))
  if (changed instanceof Refused) return changed
  await reviewSessions(deps, { project_id: subject.project.id })
  return { ...changed, ...verdicts(touched) }
}

export async function previewSome(
  deps: Deps,
  subject: ProjectSubject,
  order: BulkAction,
): Promise<(Preview & Verdicts) | BulkActionRefused> {
  const read = await readChange(deps, subject, order)
  if (read instanceof Refused) return read
  const verdicts = await verdictsOf(deps, subject, order)
  const preview = await previewUsers(deps, subject, read.change)
  return { ...preview, ...verdicts(read.touched) }
}

type Read = { readonly change: UserChange; readonly touched: Set<string> }

async function readChange(
  deps: Deps,
  subject: ProjectSubject,
  order: BulkAction,
): Promise<Read | BulkActionRefused> {
  const { action, members } = order
  const at = deps.now()
  if (action !== 'remove' && isAccountExpired(subject.customer, at)) return refuse('account_expired')
  const plan = await planFor(deps, subject, members)
  const read = parseBulkAction(action, members, { now: at, plan })
  if (read instanceof Refused) return read
  const candidates = await candidatesOf(deps, subject, order)
  if (candidates instanceof Refused) return candidates
  const touched = new Set<string>()
  const changed: UserChange['changed'] = (users) => {
    for (const { key } of users) touched.add(key)
  }
  const finish: UserChange['finish'] = async (tx, { count }) => {
    await reportChange(tx, deps, subject.project.id, { action, count })
    return undefined
  }
  // The plan may have been edited or removed while this change waited for another one.
  const { plan_id } = members
  const effectNow: UserChange['effectNow'] = async (tx) => {
    const { customer, project } = subject
    // The project must be locked before the plan, as everywhere else, to prevent deadlocks.
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const plan = plan_id ? await claimPlan(tx, project.id, plan_id) : null
    const now = parseBulkAction(action, members, { now: at, plan })
    return now instanceof Refused ? now : now.effect
  }
  const change = { action, details: members, ...read, candidates, changed, finish }
  return { change: plan_id ? { ...change, effectNow } : change, touched }
}

/** Returns the plan with this ID, null if no ID was given, or undefined if the project has no such plan. */
async function planFor({ db }: Deps, { project }: ProjectSubject, { plan_id }: BulkActionMembers) {
  if (!plan_id) return null
  const plan = await findPlan(db.read, plan_id)
  return plan?.project_id === project.id ? plan : undefined
}

async function candidatesOf(
  deps: Deps,
  { project }: ProjectSubject,
  { keys, filter }: BulkAction,
): Promise<(() => Candidates) | BulkActionRefused> {
  if ((keys === undefined) === (filter === undefined))
    return refuseMember('keys', 'cannot be combined with filter: send one of the two')
  if (filter !== undefined) return matching(deps, { project, issuer: undefined }, filter)
  const asked = [...new Set(keys)]
  return asked.length === 0 ? refuse('no_users_given') : () => withKeys(deps, project.id, asked)
}

async function reportChange(
  tx: Queries,
  deps: Deps,
  project_id: string,
  { action, count }: { readonly action: BulkActionName; readonly count: number },
): Promise<void> {
  if (count === 0) return
  if (action === 'remove')
    return reportRemoval(tx, deps, project_id, { actor: 'owner', count, reason: 'chosen' })
  await addEvent(tx, deps, { type: 'users.changed', project_id, data: { actor: 'owner', count, action } })
}

/** Looks up which keys exist before the change is made. */
async function verdictsOf({ db }: Deps, { project }: ProjectSubject, { keys }: BulkAction) {
  if (keys === undefined) return () => ({})
  const present = new Set(await listPresentKeys(db.read, project.id, keys))
  return (touched: ReadonlySet<string>): Verdicts => ({
    entries: [...new Set(keys)].map((user_key) => {
      if (touched.has(user_key)) return { user_key, verdict: 'changed' }
      return { user_key, verdict: present.has(user_key) ? 'unchanged' : 'not_found' }
    }),
  })
}
