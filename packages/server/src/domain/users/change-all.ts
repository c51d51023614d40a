/**
 * Changes of all users of a project, one of a customer at a time. Compensate is all or nothing; reset, purge and clear go in
 * slices, and what a crash leaves is changed when they are sent again.
 */
import type { Deps } from '../../deps.ts'
import { updateProjectKicked } from '../../store/tables/instances.ts'
import type { ProjectSubject } from '../../store/tables/subjects.ts'
import { effectOf } from '../../store/tables/user-effects.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { NEVER } from '../limits.ts'
import { Refused, refuse } from '../refusals.ts'
import { endUserSessions } from '../sessions/sessions.ts'
import { addEvent } from '../webhooks/events.ts'
import { changeInTurn } from './additions.ts'
import { allOf } from './candidates.ts'
import { reportRemoval } from './removals.ts'
import { type Changed, changeUsers, type Preview, previewUsers, type UserChange } from './user-changes.ts'

export type ChangeOfAll =
  | { readonly action: 'resetall' | 'purge' | 'clear' }
  | { readonly action: 'compensate'; readonly duration: number; readonly compensate_expired: boolean }
type ChangeRefused = Refused<'account_expired' | 'rate_limited' | 'unavailable' | 'not_found'>

export async function changeAll(
  deps: Deps,
  subject: ProjectSubject,
  order: ChangeOfAll,
): Promise<Changed | ChangeRefused> {
  if (isAccountExpired(subject.customer, deps.now())) return refuse('account_expired')
  const change = changeOf(deps, subject, order)
  const changed = await changeInTurn(deps, subject, () => changeUsers(deps, subject, change))
  const { id } = subject.project
  if (changed instanceof Refused) return changed
  if (order.action === 'resetall') await endUserSessions(deps, id, 'fingerprint_reset')
  if (order.action === 'clear') await endUserSessions(deps, id, 'key_removed')
  return changed
}

/** What `changeAll` would do. */
export async function previewAll(
  deps: Deps,
  subject: ProjectSubject,
  order: ChangeOfAll,
): Promise<Preview | Refused<'account_expired'>> {
  if (isAccountExpired(subject.customer, deps.now())) return refuse('account_expired')
  return previewUsers(deps, subject, changeOf(deps, subject, order))
}

function changeOf(deps: Deps, { project: { id } }: ProjectSubject, order: ChangeOfAll): UserChange {
  const { action } = order
  const now = deps.now()
  if (order.action === 'compensate') {
    const { duration, compensate_expired } = order
    const effect = effectOf('extend', { duration, latest: NEVER, expired: compensate_expired, now })
    return {
      action,
      details: { duration, compensate_expired },
      effect,
      candidates: () => allOf(deps, id, effect),
      isAtOnce: true,
      finish: async (tx, { count }) => {
        const data = { actor: 'owner', count, duration, compensate_expired } as const
        await addEvent(tx, deps, { type: 'users.compensated', project_id: id, data })
        return undefined
      },
    }
  }
  if (action === 'resetall') {
    const effect = effectOf('reset', { now })
    return {
      action,
      effect,
      candidates: () => allOf(deps, id, effect),
      finish: async (tx, { count }) => {
        await updateProjectKicked(tx, id, 'fingerprint_reset')
        const data = { actor: 'owner', count } as const
        await addEvent(tx, deps, { type: 'users.fingerprint_reset_all', project_id: id, data })
        return undefined
      },
    }
  }
  const effect = action === 'purge' ? effectOf('purge', {}) : effectOf('remove', {})
  const reason = action === 'purge' ? 'purged' : 'cleared'
  return {
    action,
    effect,
    candidates: () => allOf(deps, id, effect),
    finish: async (tx, { count }) => {
      await reportRemoval(tx, deps, id, { actor: 'owner', count, reason })
      return undefined
    },
  }
}
