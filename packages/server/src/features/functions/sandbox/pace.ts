/** Tracks which accounts call quick functions. */
import { remember } from '../../../platform/limits/remember.ts'

/** Maximum CPU time of a quick call. */
const QUICK_MS = 10
const SLOW_FOR_MS = 60_000
const MAX_ACCOUNTS = 10_000

type Known = {
  /** Whether the account has made a quick call since its last stopped call. */
  readonly hasBeenQuick: boolean
  /**
   * Time of the last slow call, and the time until which the account counts as slow. Both use a monotonic
   * clock.
   */
  readonly slowAt: number
  readonly slowUntil: number
}
const UNKNOWN: Known = { hasBeenQuick: false, slowAt: Number.NEGATIVE_INFINITY, slowUntil: 0 }

export class Pace {
  readonly #accounts = new Map<string, Known>()

  /** Unknown accounts count as slow, so that new accounts can't delay established ones. */
  isQuick(account: string): boolean {
    const { hasBeenQuick, slowUntil } = this.#accounts.get(account) ?? UNKNOWN
    return hasBeenQuick && performance.now() >= slowUntil
  }

  /** Forgives a single slow call, because the first call of a process is slower than later ones. */
  note(account: string, { ms, isStopped }: { readonly ms: number; readonly isStopped: boolean }): void {
    const known = this.#accounts.get(account) ?? UNKNOWN
    const now = performance.now()
    const isSlow = isStopped || ms > QUICK_MS
    const isSlowAgain = isStopped || (isSlow && now - known.slowAt < SLOW_FOR_MS)
    const next = {
      hasBeenQuick: !isStopped && (known.hasBeenQuick || !isSlow),
      slowAt: isSlow ? now : known.slowAt,
      slowUntil: isSlowAgain ? now + SLOW_FOR_MS : known.slowUntil,
    }
    remember(this.#accounts, account, next, MAX_ACCOUNTS)
  }
}
