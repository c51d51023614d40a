/**
 * How many denials are reported or recorded for each project or user: enough to see what is going on, and no more,
 * because anyone can cause denials and each costs a write to the disk.
 */

const WINDOW_MS = 60_000
/** Names that are remembered; beyond them the one that was denied longest ago is forgotten. */
const MOST_NAMES = 10_000

type Count = { startedAt: number; told: number; leftOut: number }

export class DenialCounts {
  readonly #most: number
  readonly #counts = new Map<string, Count>()

  /** `most` is how many of one name are taken in a minute. */
  constructor(most: number) {
    this.#most = most
  }

  /** How many denials were left out before this one, or undefined when this one is left out too. */
  take(who: string, now: number): number | undefined {
    const count = this.#countOf(who, now)
    if (count.told >= this.#most) {
      count.leftOut += 1
      return undefined
    }
    count.told += 1
    const { leftOut } = count
    count.leftOut = 0
    return leftOut
  }

  #countOf(who: string, now: number): Count {
    const known = this.#counts.get(who)
    // A clock that was set back begins a new window too.
    const isCurrent = known !== undefined && Math.abs(now - known.startedAt) < WINDOW_MS
    const count = isCurrent ? known : { startedAt: now, told: 0, leftOut: known?.leftOut ?? 0 }
    this.#counts.delete(who)
    this.#counts.set(who, count)
    const [oldest] = this.#counts.keys()
    if (this.#counts.size > MOST_NAMES && oldest !== undefined) this.#counts.delete(oldest)
    return count
  }
}
