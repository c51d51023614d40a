/** Functions and accounts whose calls are temporarily paused. */
import { remember } from '../../platform/limits/remember.ts'

const MAX_PAUSED = 10_000

export class PausedCalls {
  readonly #until = new Map<string, number>()

  pause(name: string, until: number): void {
    remember(this.#until, name, until, MAX_PAUSED)
  }

  /** Remaining pause in milliseconds, or 0. */
  pauseOf(name: string, now: number): number {
    return Math.max(0, (this.#until.get(name) ?? 0) - now)
  }
}
