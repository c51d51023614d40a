/**
 * A circuit breaker that stops calls to a failing provider and retries after a pause. Uses the caller's
 * clock.
 */

const FAILURES = 5
const PAUSE_MS = 60_000

export class Breaker {
  #failures = 0
  #failedAt = 0

  /** Whether the circuit is open. After the pause, a single failure opens it again. */
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
