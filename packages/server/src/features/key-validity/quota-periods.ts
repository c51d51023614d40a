/** Quota periods: days, weeks starting on Monday, and months, all in UTC. All functions are pure. */

export const QUOTA_PERIODS = ['day', 'week', 'month'] as const
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number]
/** When each kind of period ends, in milliseconds since 1970. */
export type QuotaEnds = Readonly<Record<QuotaPeriod, number>>
/** The time at which a key's status is determined, and when the periods that contain it end. */
export type StatusTimes = { readonly now: number; readonly quotaEnds: QuotaEnds }
type Counted = { readonly quota_used: number; readonly quota_until: number | null }

const DAY_MS = 86_400_000
/** January 1, 1970 was a Thursday, which is day 3 if Monday is day 0. */
const FIRST_WEEKDAY = 3

/** Returns the end of the period that contains `at`. Times are milliseconds since 1970. */
export function endOfPeriod(period: QuotaPeriod, at: number): number {
  const day = Math.floor(at / DAY_MS)
  if (period === 'day') return (day + 1) * DAY_MS
  if (period === 'week') return (day - ((day + FIRST_WEEKDAY) % 7) + 7) * DAY_MS
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

export function timesAt(now: number): StatusTimes {
  const [day, week, month] = [endOfPeriod('day', now), endOfPeriod('week', now), endOfPeriod('month', now)]
  return { now, quotaEnds: { day, week, month } }
}

/**
 * Returns how many uses count in the current period. Uses that were counted for another kind of period, before
 * the plan's quota or the key's plan changed, don't count.
 */
export function usesInPeriod({ quota_used, quota_until }: Counted, period: QuotaPeriod, now: number): number {
  return quota_until === endOfPeriod(period, now) ? quota_used : 0
}
