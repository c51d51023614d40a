/**
 * Computes the user columns that a granted execution changes (clock, last use and quota), except the number
 * of executions. All functions are pure.
 */

import { beginClock, type ClockColumns, findClock } from '../key-validity/clocks.ts'
import { endOfPeriod, usesInPeriod } from '../key-validity/quota-periods.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { PlanRow } from '../plans/store.ts'

export type Begun = ClockColumns
export type Use = Begun &
  Pick<UserRow, 'first_used_at' | 'last_used_at' | 'quota_used' | 'quota_until'> & {
    readonly first_used_at: number
    readonly last_used_at: number
  }

/** Starts a clock that waits for the first use. Any other clock stays unchanged. */
export function beginWaiting(user: UserRow, plan: PlanRow | null, now: number): Begun {
  const { key_expires, clock_began, clock_waits, clock_extra } = user
  const clock = findClock(user, plan)
  if (clock_waits === 0 || !clock) return { key_expires, clock_began, clock_waits }
  return beginClock(clock, now, clock_extra)
}

export function countUse(user: UserRow, plan: PlanRow | null, now: number): Use {
  return {
    ...beginWaiting(user, plan, now),
    ...countQuota(user, plan, now),
    first_used_at: user.first_used_at ?? now,
    last_used_at: now,
  }
}

/** Restarts the count at one when the period has ended. Without a quota, nothing is counted. */
function countQuota(
  user: UserRow,
  plan: PlanRow | null,
  now: number,
): Pick<UserRow, 'quota_used' | 'quota_until'> {
  const period = plan?.quota_period
  if (!period) return { quota_used: user.quota_used, quota_until: user.quota_until }
  return { quota_used: usesInPeriod(user, period, now) + 1, quota_until: endOfPeriod(period, now) }
}
