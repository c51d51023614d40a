/**
 * Pauses, resumes and extends a single key by applying a bulk change to one row.
 * `features/key-validity/store/time-left-effects.ts` defines the affected columns and keys.
 */

import { NEVER } from '../../api/limits.ts'
import { type Reason, type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { type Effect, updateUserBy } from '../key-validity/store/effect.ts'
import { extend, pause, resume } from '../key-validity/store/time-left-effects.ts'
import type { UserSubject } from '../projects/store/subjects.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { endSessions, sessionsOf } from '../sessions/sessions.ts'
import { updateUserKicked } from '../sessions/store/instances.ts'
import type { EventType } from '../webhooks/events/event-catalog.ts'
import { addEvent, eventUser } from '../webhooks/events/events.ts'
import { lockUser, type UserRow } from './store/users.ts'

type Outcome<R extends Reason> = undefined | Refused<R | 'account_expired' | 'not_found'>

/**
 * Pauses a user, and ends the user's runs immediately. An expired key can't be paused, because it has no time
 * left.
 */
export async function pauseUser(
  deps: Deps,
  subject: UserSubject,
): Promise<Outcome<'user_already_paused' | 'user_expired'>> {
  const refused = await changeUser(deps, subject, {
    type: 'user.paused',
    effect: pause(endsAt(deps)),
    explain: ({ paused_at }) => (paused_at === null ? 'user_expired' : 'user_already_paused'),
    alongside: (tx, row) => updateUserKicked(tx, row, 'key_paused'),
  })
  if (!refused) await endSessions(deps, sessionsOf(subject.user), 'key_paused')
  return refused
}

/** Restores the time during which the key was paused. */
export function resumeUser(deps: Deps, subject: UserSubject): Promise<Outcome<'user_not_paused'>> {
  const effect = resume(endsAt(deps))
  return changeUser(deps, subject, { type: 'user.resumed', effect, explain: () => 'user_not_paused' })
}

/** Adds milliseconds to the key's remaining time, or to a clock waiting for first use. */
export async function extendUser(
  deps: Deps,
  subject: UserSubject,
  duration: number,
): Promise<Outcome<'user_never_expires'>> {
  const effect = extend({ ...endsAt(deps), duration, expired: true })
  const explain = () => 'user_never_expires' as const
  const refused = await changeUser(deps, subject, { type: 'user.extended', effect, explain })
  if (!refused) await reviewSessions(deps, sessionsOf(subject.user))
  return refused
}

function endsAt({ now }: Deps) {
  return { now: now(), latest: NEVER }
}

type Change<R extends Reason> = {
  readonly type: Extract<EventType, 'user.paused' | 'user.resumed' | 'user.extended'>
  readonly effect: Effect
  /** Returns the reason why the effect doesn't apply to a user. */
  readonly explain: (row: UserRow) => R
  readonly alongside?: (tx: Queries, row: UserRow) => Promise<void>
}

async function changeUser<R extends Reason>(
  deps: Deps,
  { customer, project, user }: UserSubject,
  { type, effect, explain, alongside }: Change<R>,
): Promise<Outcome<R>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  return deps.db.transaction(async (tx) => {
    const row = await updateUserBy(tx, project.id, user.key, effect)
    if (!row) {
      const left = await lockUser(tx, project.id, user.key)
      return left ? refuse(explain(left)) : refuse('not_found')
    }
    await alongside?.(tx, row)
    const data = { user: eventUser(row), actor: 'owner' } as const
    await addEvent(tx, deps, { type, project_id: project.id, data })
    return undefined
  })
}
