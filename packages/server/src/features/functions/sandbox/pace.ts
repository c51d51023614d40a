/** Which accounts call functions that are quick. */
import { remember } from '../../../platform/limits/remember.ts'

/** Processor time of a call. */
const QUICK_MS = 10
const SLOW_FOR_MS = 60_000
const MAX_ACCOUNTS = 10_000

type Known = {
  /** Whether a call was quick since the last one that was stopped. */
  readonly hasBeenQuick: boolean
  /** When the last call was slow, and until when the account is, on a steady clock. */
  readonly slowAt: number
  readonly slowUntil: number
}
const UNKNOWN: Known = { hasBeenQuick: false, slowAt: Number.NEGATIVE_INFINITY, slowUntil: 0 }

export class Pace {
  readonly #accounts = new Map<string, Known>()

  /** An account that is not known counts as slow, so that new accounts delay nobody. */
  isQuick(account: string): boolean {
    const { hasBeenQuick, slowUntil } = this.#accounts.get(account) ?? UNKNOWN
    return hasBeenQuick && performance.now() >= slowUntil
  }

  /** One slow call is forgiven: the first one of a process is slower than those after it. */
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
