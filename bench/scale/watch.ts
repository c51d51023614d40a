/** Counts the results that clients observe for one kind of request between two reports. */
import { type Counts, count, fromMap, wordsOf } from './tally.ts'

export type Seen = {
  readonly done: number
  /** Durations of successful requests, in milliseconds. */
  readonly times: readonly number[]
  /** Number of responses with status 503. */
  readonly refused: number
  /** Time from the first failed request to the next successful one, in milliseconds. */
  readonly awayMs: number
  /** All failures except 503, by message. */
  readonly errors: Counts
}

const TIMEOUT_MS = 60_000
const REFUSED = 503

export class Watch {
  #times: number[] = []
  #refused = 0
  #errors = new Map<string, number>()
  #awaySince: number | undefined
  #awayMs = 0

  /**
   * Returns the response if its status is 200 or one of `fine`, and undefined if the request failed.
   * Preparatory requests (`isStep`) are counted only if they fail.
   */
  async of(
    url: string,
    sent: RequestInit,
    { fine = [], isStep = false }: { readonly fine?: readonly number[]; readonly isStep?: boolean } = {},
  ): Promise<{ readonly status: number; readonly text: string } | undefined> {
    const at = performance.now()
    try {
      const answer = await fetch(url, { ...sent, signal: AbortSignal.timeout(TIMEOUT_MS) })
      const text = await answer.text()
      if (answer.status !== 200 && !fine.includes(answer.status)) return this.#failed(at, answer.status)
      if (!isStep) this.#done(at)
      return { status: answer.status, text }
    } catch (error) {
      return this.#failed(at, wordsOf(error))
    }
  }

  take(): Seen {
    const [times, refused, errors, awayMs] = [
      this.#times,
      this.#refused,
      fromMap(this.#errors),
      this.#awayUntilNow(),
    ]
    this.#times = []
    this.#refused = 0
    this.#errors = new Map()
    this.#awayMs = 0
    return { done: times.length, times, refused, errors, awayMs }
  }

  #done(at: number): void {
    this.#times.push(performance.now() - at)
    // A successful request that started before the failure doesn't prove that the server is back.
    if (this.#awaySince === undefined || at < this.#awaySince) return
    this.#awayMs = this.#awayUntilNow()
    this.#awaySince = undefined
  }

  #failed(at: number, what: number | string): undefined {
    this.#awaySince ??= at
    if (what === REFUSED) this.#refused += 1
    else count(this.#errors, typeof what === 'number' ? `HTTP ${what}` : what)
    return undefined
  }

  /** Returns the longest outage so far. */
  #awayUntilNow(): number {
    const now = this.#awaySince === undefined ? 0 : performance.now() - this.#awaySince
    return Math.max(this.#awayMs, now)
  }
}
