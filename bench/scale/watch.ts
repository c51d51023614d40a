/** What the clients of one kind of request saw, counted between two reports. */
import { type Counts, count, fromMap, wordsOf } from './tally.ts'

export type Seen = {
  readonly done: number
  /** Milliseconds of those that were done. */
  readonly times: readonly number[]
  /** Answers with 503. */
  readonly refused: number
  /** From the first request that was refused or failed until one was done again, in milliseconds. */
  readonly awayMs: number
  /** All failures but 503, by their words. */
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
   * The answer when it has the status 200 or one of these; undefined when it was refused or failed. A step towards another
   * request counts when it fails.
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
    // One that began before the failure says nothing.
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

  /** The longest time away so far. */
  #awayUntilNow(): number {
    const now = this.#awaySince === undefined ? 0 : performance.now() - this.#awaySince
    return Math.max(this.#awayMs, now)
  }
}
