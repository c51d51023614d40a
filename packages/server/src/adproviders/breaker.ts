/** Stops asking somebody who does not answer, and tries again after a while. By the caller's clock. */

const FAILURES = 5
const PAUSE_MS = 60_000

export class Breaker {
  #failures = 0
  #failedAt = 0

  /** Whether nobody is to be asked now. After the pause one more failure is enough to begin the next one. */
  isOpen(now: number): boolean {
    const since = now - this.#failedAt
    return this.#failures >= FAILURES && since >= 0 && since < PAUSE_MS
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(now: number): void {
    this.#failures += 1
    this.#failedAt = now
  }
}
