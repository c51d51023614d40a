/**
 * Throttles what is recorded of denials, per project or user and minute: anyone can cause denials, and each record costs
 * a write to the disk.
 */

const WINDOW_MS = 60_000
/** Bound of the map; the least recently denied name is dropped. */
const MAX_NAMES = 10_000

type Count = { startedAt: number; recorded: number; skipped: number }

export class DenialCounter {
  readonly #perMinute: number
  readonly #counts = new Map<string, Count>()

  /** `perMinute` is how many of one name may be recorded. */
  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /** How many denials were skipped before this one, or undefined when this one is skipped too. */
  countDenial(who: string, now: number): number | undefined {
    const count = this.#countOf(who, now)
    if (count.recorded >= this.#perMinute) {
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
    const isCurrent = known !== undefined && Math.abs(now - known.startedAt) < WINDOW_MS
    const count = isCurrent ? known : { startedAt: now, recorded: 0, skipped: known?.skipped ?? 0 }
    this.#counts.delete(who)
    this.#counts.set(who, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MAX_NAMES && oldest !== undefined) this.#counts.delete(oldest)
    return count
  }
}
