/** The rate limit for a run's calls to server code. */

const NO_LIMIT = -1
/** A connection accepts only this many frames per minute, so a higher limit would have no effect. */
const MOST_PER_MINUTE = 1200

/** Converts a service tier's limit to the number of calls that a run can make per minute. */
export function callsPerMinute(max_calls: number): number {
  return max_calls === NO_LIMIT ? MOST_PER_MINUTE : Math.min(max_calls, MOST_PER_MINUTE)
}
