/**
 * The clock for jobs that delete rows. Deletion is irreversible, so a clock that jumps ahead is not trusted
 * until it has stayed ahead for a while. A clock that jumps back is trusted immediately, because that only
 * delays deletion.
 */

/** Largest jump ahead that is trusted immediately. NTP corrections are smaller. */
const TOLERANCE_MS = 60_000
/**
 * How long a clock must stay ahead to be trusted. At first, a machine that was asleep for hours looks the
 * same.
 */
const SETTLE_MS = 900_000

type Milliseconds = () => number

/** `now` is the clock to check, and `elapsed` is a monotonic clock. */
export function steadyClock(now: Milliseconds, elapsed: Milliseconds): Milliseconds {
  let trusted = { time: now(), at: elapsed() }
  let aheadSince: number | undefined
  return () => {
    const time = now()
    const at = elapsed()
    const expected = trusted.time + (at - trusted.at)
    const isAhead = time > expected + TOLERANCE_MS
    aheadSince = isAhead ? (aheadSince ?? at) : undefined
    if (aheadSince !== undefined && at - aheadSince < SETTLE_MS) return expected
    trusted = { time, at }
    aheadSince = undefined
    return time
  }
}
