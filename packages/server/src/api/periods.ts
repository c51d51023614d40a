/** The UTC hours and days that statistics are grouped by, and how many of each are stored. */
import { type Refused, refuseMember } from './refusals.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

export type Step = 'hour' | 'day'
export type Period = { readonly step: Step; readonly from: number; readonly to: number }
export type PeriodQuery = {
  /** Milliseconds since 1970. */
  readonly from?: number
  /** Exclusive; defaults to now. */
  readonly to?: number
  readonly step?: Step
}

/** `held` is the number stored, and `shown` the number returned by default. */
export const STEPS: Readonly<
  Record<Step, { readonly ms: number; readonly held: number; readonly shown: number }>
> = {
  hour: { ms: HOUR_MS, held: 48, shown: 48 },
  day: { ms: DAY_MS, held: 400, shown: 30 },
}

/** Returns the full hours or days of the period that are stored, or an error if `from` is not before `to`. */
export function periodOf(
  { from, to, step = 'hour' }: PeriodQuery,
  now: number,
): Period | Refused<'invalid_request'> {
  const { ms, held, shown } = STEPS[step]
  const floor = (time: number) => Math.floor(time / ms) * ms
  const end = Math.min(to ?? now + 1, now + 1)
  if (from !== undefined && from >= end)
    return refuseMember('from', 'must be earlier than to and not in the future')
  const first = floor(from ?? end - 1 - (shown - 1) * ms)
  return { step, from: Math.max(first, floor(now) - (held - 1) * ms), to: end }
}

/** Days since 1970. */
export function dayAt(time: number): number {
  return Math.floor(time / DAY_MS)
}

/** The oldest day that is stored. */
export function firstDayAt(now: number): number {
  return dayAt(now) - STEPS.day.held + 1
}
