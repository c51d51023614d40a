/**
 * Clocks of new keys and of first uses, and how long a key works after its end. Pure. Changes to the end of an existing key
 * are effects in `store/time-left-effects.ts`.
 */
import { NEVER } from '../../api/limits.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { PlanRow } from '../plans/store.ts'

/** `duration` null never ends. */
export type Clock = { readonly basis: 'creation' | 'first_use'; readonly duration: number | null }
export type ClockColumns = Pick<UserRow, 'key_expires' | 'clock_began' | 'clock_waits'>

export function clockOf(plan: Pick<PlanRow, 'clock_basis' | 'clock_duration'>): Clock {
  return { basis: plan.clock_basis, duration: plan.clock_duration }
}

/** The clock of a user: their own, or that of the plan; undefined where the end was set by hand. */
export function findClock(
  user: Pick<UserRow, 'clock_basis' | 'clock_duration'>,
  plan: PlanRow | null,
): Clock | undefined {
  const { clock_basis: basis, clock_duration: duration } = user
  if (basis === null) return plan ? clockOf(plan) : undefined
  return basis === 'none' ? undefined : { basis, duration }
}

/** What a clock writes that begins to count for a user: at once, when the key starts, or with its first use. */
export function startClock(clock: Clock, startsAt: number): ClockColumns {
  if (clock.basis === 'first_use') return { key_expires: null, clock_began: null, clock_waits: 1 }
  return beginClock(clock, startsAt, 0)
}

/** `extra` is what was given to it before it began. */
export function beginClock({ duration }: Clock, began: number, extra: number): ClockColumns {
  const end = duration === null ? null : Math.min(NEVER, began + duration + extra)
  return { key_expires: end, clock_began: began, clock_waits: 0 }
}

/** Until when a key runs on after its end; null when it has none. */
export function runsUntil(key_expires: number | null, grace: number | null): number | null {
  return key_expires === null ? null : Math.min(NEVER, key_expires + (grace ?? 0))
}

export function isInGrace(key_expires: number | null, grace: number | null, now: number): boolean {
  return key_expires !== null && key_expires <= now && now < (runsUntil(key_expires, grace) ?? now)
}

/** What a script reads of a key that runs; one that has ended runs only where it retains the version of its end. */
export function runStatus(
  key_expires: number | null,
  grace: number | null,
  now: number,
): 'active' | 'grace' | 'expired' {
  if (key_expires === null || key_expires > now) return 'active'
  return isInGrace(key_expires, grace, now) ? 'grace' : 'expired'
}
