/** Pauses a key, which keeps the time that was left, and adds time to one. */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { updateUserKicked } from '../../store/tables/instances.ts'
import { findPlan } from '../../store/tables/plans.ts'
import type { UserSubject } from '../../store/tables/subjects.ts'
import { lockUser, type UserChanges, type UserRow, updateUser } from '../../store/tables/users.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { NEVER } from '../limits.ts'
import { type Reason, Refused, refuse } from '../refusals.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { endSessions, sessionsOf } from '../sessions/sessions.ts'
import { runsUntil } from '../terms.ts'
import type { EventType } from '../webhooks/event-catalogue.ts'
import { addEvent, eventUser } from '../webhooks/events.ts'

type Outcome<R extends Reason> = undefined | Refused<R | 'account_expired' | 'not_found'>

/** Ends at once what the user runs. A key that has ended has nothing left to keep. */
export async function pauseUser(
  deps: Deps,
  subject: UserSubject,
): Promise<Outcome<'user_already_paused' | 'user_expired'>> {
  const refused = await changeUser(deps, subject, 'user.paused', async (tx, row) => {
    if (row.paused_at !== null) return refuse('user_already_paused')
    const end = runsUntil(row.key_expires, await graceOf(tx, row))
    if (end !== null && end <= deps.now()) return refuse('user_expired')
    await updateUserKicked(tx, row, 'key_paused')
    return { paused_at: deps.now() }
  })
  if (!refused) await endSessions(deps, sessionsOf(subject.user), 'key_paused')
  return refused
}

/** Gives back the time for which the key was paused. */
export function resumeUser(deps: Deps, subject: UserSubject): Promise<Outcome<'user_not_paused'>> {
  return changeUser(deps, subject, 'user.resumed', async (_, row) => {
    const { paused_at } = row
    return paused_at === null
      ? refuse('user_not_paused')
      : { paused_at: null, ...lengthened(row, deps.now() - paused_at) }
  })
}

/** To the end of the key, from now on where it has ended; or to a clock that waits for a first use. */
export async function extendUser(
  deps: Deps,
  subject: UserSubject,
  duration: number,
): Promise<Outcome<'user_never_expires'>> {
  const refused = await changeUser(deps, subject, 'user.extended', async (_, row) => {
    const at = row.paused_at ?? deps.now()
    if (row.clock_waits === 1) return lengthened(row, duration)
    if (row.key_expires === null) return refuse('user_never_expires')
    return lengthened(row, duration + Math.max(0, at - row.key_expires))
  })
  if (!refused) await reviewSessions(deps, sessionsOf(subject.user))
  return refused
}

/** The end follows from the clock too, so what is added to one is added to the other. */
function lengthened({ key_expires, clock_extra }: UserRow, ms: number): UserChanges {
  return {
    clock_extra: Math.min(NEVER, clock_extra + ms),
    ...(key_expires === null ? {} : { key_expires: Math.min(NEVER, key_expires + ms) }),
  }
}

async function graceOf(tx: Queries, { plan_id }: UserRow): Promise<number | null> {
  return plan_id === null ? null : ((await findPlan(tx, plan_id))?.grace ?? null)
}

type Pausing = Extract<EventType, 'user.paused' | 'user.resumed' | 'user.extended'>

async function changeUser<R extends Reason>(
  deps: Deps,
  { customer, project, user }: UserSubject,
  type: Pausing,
  change: (tx: Queries, row: UserRow) => Promise<UserChanges | Refused<R>>,
): Promise<Outcome<R>> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  return deps.db.transaction(async (tx) => {
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    const changes = await change(tx, row)
    if (changes instanceof Refused) return changes
    const after = await updateUser(tx, project.id, row.key, changes)
    const data = { user: eventUser(after ?? row), actor: 'owner' } as const
    await addEvent(tx, deps, { type, project_id: project.id, data })
    return undefined
  })
}
