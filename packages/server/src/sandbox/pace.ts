/** Which accounts call functions that are quick. */
import { remember } from '../limits/remember.ts'

/** Processor time of a call. */
const QUICK_MS = 10
const SLOW_FOR_MS = 60_000
const MOST_ACCOUNTS = 10_000

export class Pace {
  /** When an account was last slow, on a steady clock; zero for never. */
  readonly #slowAt = new Map<string, number>()

  /** An account that is not known counts as slow, so that new accounts delay nobody. */
  isQuick(account: string): boolean {
    const slowAt = this.#slowAt.get(account)
    return slowAt === 0 || (slowAt !== undefined && performance.now() - slowAt > SLOW_FOR_MS)
  }

  note(account: string, ms: number): void {
    const wasSlow = this.#slowAt.has(account) && !this.isQuick(account)
    if (ms <= QUICK_MS && wasSlow) return
    remember(this.#slowAt, account, ms <= QUICK_MS ? 0 : performance.now(), MOST_ACCOUNTS)
  }
}
