/**
 * Counts this process's requests in the last hour and their durations, for operators. Uses the same buckets
 * as the Prometheus metric, so that both yield the same percentiles. The counts are kept only in memory.
 */

/** Upper bounds in seconds. A point read falls into the first bucket, and an upload into one of the last. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]

export type RequestFigure = {
  readonly per_minute: number
  /** Null if there were no requests. */
  readonly p95_ms: number | null
}

/** An additional last bucket counts longer requests. */
const WIDTH = DURATION_BUCKETS.length + 1
const BOUNDS_MS = DURATION_BUCKETS.map((seconds) => seconds * 1000)
const LONGEST_MS = BOUNDS_MS.at(-1) ?? 0
const SLOT_MS = 10_000
const SLOTS = 360
const MINUTE_MS = 60_000
const SHARE = 0.95

export class RequestFigures {
  readonly #now: () => number
  readonly #since: number
  /** The 10-second period that each row of `#counts` covers. */
  readonly #slots = new Float64Array(SLOTS).fill(-1)
  readonly #counts = new Uint32Array(SLOTS * WIDTH)

  constructor(now: () => number) {
    this.#now = now
    this.#since = now()
  }

  /** Allocates nothing, because it runs for every request. */
  note(ms: number): void {
    const slot = Math.floor(this.#now() / SLOT_MS)
    const row = slot % SLOTS
    const first = row * WIDTH
    if (this.#slots[row] !== slot) {
      this.#slots[row] = slot
      this.#counts.fill(0, first, first + WIDTH)
    }
    let bucket = 0
    while (bucket < BOUNDS_MS.length && ms > (BOUNDS_MS[bucket] ?? 0)) bucket += 1
    this.#counts[first + bucket] = (this.#counts[first + bucket] ?? 0) + 1
  }

  /**
   * `periodMs` can be at most an hour. Rates of a process that started less than a minute ago are calculated
   * over a full minute.
   */
  within(periodMs: number): RequestFigure {
    const now = this.#now()
    const last = Math.floor(now / SLOT_MS)
    const first = last - Math.min(SLOTS, Math.round(periodMs / SLOT_MS)) + 1
    const counts = this.#sum(first, last)
    const count = counts.reduce((sum, each) => sum + each, 0)
    const ms = Math.max(MINUTE_MS, Math.min(now - first * SLOT_MS, now - this.#since))
    return { per_minute: Math.round((count / ms) * MINUTE_MS * 10) / 10, p95_ms: percentile(counts, count) }
  }

  #sum(first: number, last: number): number[] {
    const sums = new Array<number>(WIDTH).fill(0)
    for (let slot = first; slot <= last; slot += 1) {
      const row = slot % SLOTS
      if (this.#slots[row] !== slot) continue
      for (let bucket = 0; bucket < WIDTH; bucket += 1)
        sums[bucket] = (sums[bucket] ?? 0) + (this.#counts[row * WIDTH + bucket] ?? 0)
    }
    return sums
  }
}

/** Interpolates within a bucket, like Prometheus's `histogram_quantile`. */
function percentile(counts: readonly number[], total: number): number | null {
  if (total === 0) return null
  const rank = SHARE * total
  let before = 0
  for (const [bucket, upper] of BOUNDS_MS.entries()) {
    const count = counts[bucket] ?? 0
    if (before + count >= rank) {
      const lower = BOUNDS_MS[bucket - 1] ?? 0
      return round(lower + ((upper - lower) * (rank - before)) / count)
    }
    before += count
  }
  return LONGEST_MS
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10
}
