/**
 * Finds a version that crashes for clearly more of a script's customers than an earlier version did. Unlike a
 * release's guard, this rule also covers versions that all customers got immediately. It therefore compares
 * counts across versions, and doesn't roll anything back.
 */
import type { VersionHealth } from './health.ts'

export type Regression = {
  readonly version: number
  /** The most recent earlier version that enough customers ran. */
  readonly previous_version: number
  /** The executor of almost all affected customers, or null if the crashes occur in several executors. */
  readonly executor: string | null
  /** The number of customers whose runs crashed. */
  readonly customers: number
  readonly share: number
  readonly share_before: number
  /** The first day (UTC) with a crash. */
  readonly since: number
}

type Version = Pick<VersionHealth, 'version' | 'customers' | 'crashed_customers' | 'executors' | 'days'>

/**
 * With fewer affected customers than this, or fewer customers to compare with, the difference may be due to
 * chance.
 */
export const MIN_CRASHED = 3
const MIN_CUSTOMERS = 10
/**
 * The fraction of affected customers must grow by more than this factor and by more than the difference
 * below.
 */
const FACTOR = 2
const MORE = 0.01
const MOST = 0.8
const RECENT_MS = 7 * 86_400_000

/** `versions` are sorted newest first. `served` contains the live version and any version being released. */
export function findRegression(
  versions: readonly Version[],
  served: readonly number[],
  now: number,
): Regression | null {
  for (const one of versions) {
    const earlier = versions.find(
      ({ version, customers }) => version < one.version && customers >= MIN_CUSTOMERS,
    )
    if (earlier && served.includes(one.version) && isBad(one, now) && isWorse(one, earlier))
      return describe(one, earlier)
  }
  return null
}

function isBad({ crashed_customers, days }: Version, now: number): boolean {
  return (
    crashed_customers >= MIN_CRASHED && days.some(({ at, crashed }) => crashed > 0 && at > now - RECENT_MS)
  )
}

function isWorse(one: Version, earlier: Version): boolean {
  return shareOf(one) > FACTOR * shareOf(earlier) && shareOf(one) > shareOf(earlier) + MORE
}

function describe(one: Version, earlier: Version): Regression {
  const { version, crashed_customers: customers, executors, days } = one
  const [most] = executors.toSorted((a, b) => b.crashed_customers - a.crashed_customers)
  const isMost = most !== undefined && most.crashed_customers >= MOST * customers
  return {
    version,
    previous_version: earlier.version,
    executor: isMost ? most.executor : null,
    customers,
    share: shareOf(one),
    share_before: shareOf(earlier),
    since: days.find(({ crashed }) => crashed > 0)?.at ?? 0,
  }
}

/**
 * Clamped at 1. A crash is counted immediately, but its run only later, so the fraction could briefly exceed
 * one.
 */
function shareOf({ customers, crashed_customers }: Version): number {
  return customers === 0 ? 0 : Math.min(1, crashed_customers / customers)
}
