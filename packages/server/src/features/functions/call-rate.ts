/** How many calls of server code a run can make. */

const NO_LIMIT = -1
/** The limit on frames of a connection, beyond which more calls would be of no use. */
const MOST_PER_MINUTE = 1200

/** Returns the calls per minute by the limit of the account's service tier. */
export function callsPerMinute(max_calls: number): number {
  return max_calls === NO_LIMIT ? MOST_PER_MINUTE : Math.min(max_calls, MOST_PER_MINUTE)
}
