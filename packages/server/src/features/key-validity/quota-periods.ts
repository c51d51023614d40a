/** Quota periods: days, weeks starting on Monday, and months, all in UTC. All functions are pure. */

export const QUOTA_PERIODS = ['day', 'week', 'month'] as const
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number]

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
