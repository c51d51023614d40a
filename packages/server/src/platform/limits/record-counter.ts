/**
 * Throttles records of what anyone can cause, such as denials, per project, user or network and window of time: each costs a
 * write to the disk.
 */

const MINUTE_MS = 60_000
/** Bound of the map; the name that was counted least recently is dropped. */
const MAX_NAMES = 10_000

type Count = { startedAt: number; recorded: number; skipped: number }

export class RecordCounter {
  readonly #most: number
  readonly #windowMs: number
  readonly #counts = new Map<string, Count>()

  /** `most` is how many of one name may be recorded within `windowMs`. */
  constructor(most: number, windowMs = MINUTE_MS) {
    this.#most = most
    this.#windowMs = windowMs
  }

  /** How many were skipped before this one, or undefined when this one is skipped too. */
  count(who: string, now: number): number | undefined {
    const count = this.#countOf(who, now)
    if (count.recorded >= this.#most) {
      count.skipped += 1
      return undefined
    }
    count.recorded += 1
    const { skipped } = count
    count.skipped = 0
    return skipped
  }

  #countOf(who: string, now: number): Count {
    const known = this.#counts.get(who)
    // A clock that was set back begins a new window too.
    const isCurrent = known !== undefined && Math.abs(now - known.startedAt) < this.#windowMs
    const count = isCurrent ? known : { startedAt: now, recorded: 0, skipped: known?.skipped ?? 0 }
    this.#counts.delete(who)
    this.#counts.set(who, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MAX_NAMES && oldest !== undefined) this.#counts.delete(oldest)
    return count
  }
}
