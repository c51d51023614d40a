/**
 * The time that jobs delete by. What is deleted does not come back, so a clock that suddenly runs ahead is not believed
 * until it has stayed there for a while; one that falls back is believed at once, because that only delays.
 */

/** What a clock may gain between two looks and still be right: corrections by the network are smaller. */
const TOLERANCE_MS = 60_000
/** How long a clock must stay ahead to be believed. A machine that slept for hours looks the same at first. */
const SETTLE_MS = 900_000

type Milliseconds = () => number

/** `now` is the clock in question, `elapsed` one that counts from anywhere and never jumps. */
export function steadyClock(now: Milliseconds, elapsed: Milliseconds): Milliseconds {
  let believed = { time: now(), at: elapsed() }
  let aheadSince: number | undefined
  return () => {
    const time = now()
    const at = elapsed()
    const expected = believed.time + (at - believed.at)
    const isAhead = time > expected + TOLERANCE_MS
    aheadSince = isAhead ? (aheadSince ?? at) : undefined
    if (aheadSince !== undefined && at - aheadSince < SETTLE_MS) return expected
    believed = { time, at }
    aheadSince = undefined
    return time
  }
}
