/**
 * Changes to all users of a project, one change at a time per account. `compensate` extends all users or
 * none. `reset`, `purge` and `clear` run in slices. After a crash, repeating the request changes the
 * remaining users.
 */
import { setImmediate } from 'node:timers/promises'
import { NEVER } from '../../api/limits.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import type { Effect } from '../key-validity/store/effect.ts'
import { reportRemoval } from '../keys/removals.ts'
import { countTouched } from '../keys/store/user-bulk.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { endUserSessions } from '../sessions/sessions.ts'
import { updateProjectKicked } from '../sessions/store/instances.ts'
import { addEvent } from '../webhooks/events/events.ts'
import { type Changed, changeUsers, type Preview, previewUsers, type UserChange } from './apply-change.ts'
import { allOf } from './candidates.ts'
import { withCustomerLock } from './customer-lock.ts'
import { effectOf } from './store/effects-by-action.ts'

export type ChangeOfAll =
  | { readonly action: 'resetall' | 'purge' | 'clear' }
  | { readonly action: 'compensate'; readonly duration: number; readonly compensate_expired: boolean }
type ChangeRefused = Refused<
  'account_expired' | 'rate_limited' | 'unavailable' | 'not_found' | 'invalid_request'
>

export async function changeAll(
  deps: Deps,
  subject: ProjectSubject,
  order: ChangeOfAll,
): Promise<Changed | ChangeRefused> {
  if (isAccountExpired(subject.customer, deps.now())) return refuse('account_expired')
  const change = changeOf(deps, subject, order)
  const changed = await withCustomerLock(deps, subject, () => changeUsers(deps, subject, change))
  const { id } = subject.project
  if (changed instanceof Refused) return changed
  if (order.action === 'resetall') await endUserSessions(deps, id, 'fingerprint_reset')
  if (order.action === 'clear') await endUserSessions(deps, id, 'key_removed')
  return changed
}

/** Previews `changeAll` without changing anything. */
export async function previewAll(
  deps: Deps,
  subject: ProjectSubject,
  order: ChangeOfAll,
): Promise<Preview | Refused<'account_expired'>> {
  if (isAccountExpired(subject.customer, deps.now())) return refuse('account_expired')
  return previewUsers(deps, subject, changeOf(deps, subject, order))
}

export type Count = {
  readonly change: ChangeOfAll['action'] | 'export'
  readonly compensate_expired?: boolean
}

/** Counts the users that a change would affect now, without changing anything. */
export async function countAll(
  deps: Deps,
  { project }: ProjectSubject,
  { change, compensate_expired = false }: Count,
): Promise<number> {
  const now = deps.now()
  const { where } =
    change === 'compensate'
      ? effectFor({ action: change, duration: 0, compensate_expired }, now)
      : effectFor({ action: change === 'export' ? 'clear' : change }, now)
  const size = deps.db.rowsAtOnce
  let sum = 0
  for (let after: number | undefined = 0; after !== undefined; await setImmediate()) {
    const { count, end } = await countTouched(deps.db.read, { projectId: project.id, where }, { after, size })
    sum += count
    after = end
  }
  return sum
}

function effectFor(order: ChangeOfAll, now: number): Effect {
  switch (order.action) {
    case 'compensate': {
      const { duration, compensate_expired: expired } = order
      return effectOf('extend', { duration, latest: NEVER, expired, now })
    }
    case 'resetall':
      return effectOf('reset', { now })
    case 'purge':
      return effectOf('purge', {})
    case 'clear':
      return effectOf('remove', {})
  }
}

function changeOf(deps: Deps, { project: { id } }: ProjectSubject, order: ChangeOfAll): UserChange {
  const effect = effectFor(order, deps.now())
  const change = { action: order.action, effect, candidates: () => allOf(deps, id, effect) }
  const { action, ...details } = order
  const finish: UserChange['finish'] = async (tx, { count }) => {
    if (action === 'resetall') await updateProjectKicked(tx, id, 'fingerprint_reset')
    await report(tx, deps, id, { order, count })
    return undefined
  }
  return action === 'compensate' ? { ...change, details, isAtOnce: true, finish } : { ...change, finish }
}

type Done = { readonly order: ChangeOfAll; readonly count: number }

function report(tx: Queries, deps: Deps, project_id: string, { order, count }: Done): Promise<void> {
  switch (order.action) {
    case 'compensate': {
      const { duration, compensate_expired } = order
      const data = { actor: 'owner', count, duration, compensate_expired } as const
      return addEvent(tx, deps, { type: 'users.compensated', project_id, data })
    }
    case 'resetall': {
      const data = { actor: 'owner', count } as const
      return addEvent(tx, deps, { type: 'users.fingerprint_reset_all', project_id, data })
    }
    case 'purge':
      return reportRemoval(tx, deps, project_id, { actor: 'owner', count, reason: 'purged' })
    case 'clear':
      return reportRemoval(tx, deps, project_id, { actor: 'owner', count, reason: 'cleared' })
  }
}
