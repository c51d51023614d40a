/**
 * Starts key clocks on creation or first use, and calculates how long a key works after it expires. All
 * functions are pure. For changes to existing keys, see `store/time-left-effects.ts`.
 */
import { NEVER } from '../../api/limits.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { PlanRow } from '../plans/store.ts'

/** If `duration` is null, the key never expires. */
export type Clock = { readonly basis: 'creation' | 'first_use'; readonly duration: number | null }
export type ClockColumns = Pick<UserRow, 'key_expires' | 'clock_began' | 'clock_waits'>

export function clockOf(plan: Pick<PlanRow, 'clock_basis' | 'clock_duration'>): Clock {
  return { basis: plan.clock_basis, duration: plan.clock_duration }
}

/** Returns the user's own clock or the plan's, or undefined if the expiry date was set manually. */
export function findClock(
  user: Pick<UserRow, 'clock_basis' | 'clock_duration'>,
  plan: PlanRow | null,
): Clock | undefined {
  const { clock_basis: basis, clock_duration: duration } = user
  if (basis === null) return plan ? clockOf(plan) : undefined
  return basis === 'none' ? undefined : { basis, duration }
}

/** Returns the columns of a new clock, which starts now, on the start date, or on first use. */
export function startClock(clock: Clock, startsAt: number): ClockColumns {
  if (clock.basis === 'first_use') return { key_expires: null, clock_began: null, clock_waits: 1 }
  return beginClock(clock, startsAt, 0)
}

/** `extra` is the time that was added before the clock started. */
export function beginClock({ duration }: Clock, began: number, extra: number): ClockColumns {
  const end = duration === null ? null : Math.min(NEVER, began + duration + extra)
  return { key_expires: end, clock_began: began, clock_waits: 0 }
}

/**
 * Returns the milliseconds that a paused key has left: the time after its pause, its start date and the start
 * of its clock, whichever is latest. Null if the key isn't paused, never expires or waits for its first use.
 */
export function leftInPause({
  paused_at,
  key_expires,
  starts_at,
  clock_began,
}: Pick<UserRow, 'paused_at' | 'key_expires' | 'starts_at' | 'clock_began'>): number | null {
  if (paused_at === null || key_expires === null) return null
  return Math.max(0, key_expires - Math.max(paused_at, starts_at ?? 0, clock_began ?? 0))
}

/** Returns when the grace period ends, or null if the key never expires. */
export function runsUntil(key_expires: number | null, grace: number | null): number | null {
  return key_expires === null ? null : Math.min(NEVER, key_expires + (grace ?? 0))
}

export function isInGrace(key_expires: number | null, grace: number | null, now: number): boolean {
  return key_expires !== null && key_expires <= now && now < (runsUntil(key_expires, grace) ?? now)
}

/**
 * Returns the status that running scripts see. An expired key runs only if it keeps the script version that
 * was active when it expired.
 */
export function runStatus(
  key_expires: number | null,
  grace: number | null,
  now: number,
): 'active' | 'grace' | 'expired' {
  if (key_expires === null || key_expires > now) return 'active'
  return isInGrace(key_expires, grace, now) ? 'grace' : 'expired'
}
