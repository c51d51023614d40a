/**
 * Limits records that anyone can cause, such as denials, because each costs a disk write. Limits apply per
 * time window and per project, user or network.
 */

const MINUTE_MS = 60_000
/** Size limit of the map. The least recently counted name is dropped. */
const MAX_NAMES = 10_000

type Count = { startedAt: number; recorded: number; skipped: number }

export class RecordCounter {
  readonly #most: number
  readonly #windowMs: number
  readonly #counts = new Map<string, Count>()

  /** `most` is the number of records that are allowed per name within `windowMs`. */
  constructor(most: number, windowMs = MINUTE_MS) {
    this.#most = most
    this.#windowMs = windowMs
  }

  /** Returns the number of records skipped before this one, or undefined if this one is skipped too. */
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
    // Setting the clock back also starts a new window.
    const isCurrent = known !== undefined && Math.abs(now - known.startedAt) < this.#windowMs
    const count = isCurrent ? known : { startedAt: now, recorded: 0, skipped: known?.skipped ?? 0 }
    this.#counts.delete(who)
    this.#counts.set(who, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MAX_NAMES && oldest !== undefined) this.#counts.delete(oldest)
    return count
  }
}
