/**
 * Limits how many messages this process sends to one host concurrently, across all projects. Accounts take
 * turns, so that one account's backlog delays another account by at most one round.
 */
const MAX_PER_HOST = 4
/** Time after which a refused account no longer waits, because another process may have taken its turn. */
const WAITING_MS = 5000

/** A request for slots. `now` is in milliseconds since 1970. */
type Wanted = { readonly account: string; readonly count: number; readonly now: number }

export class HostConcurrency {
  readonly #inFlight = new Map<string, number>()
  /** Accounts that were refused, by host, in order of their turns, with the time of the last attempt. */
  readonly #waiting = new Map<string, Map<string, number>>()

  /**
   * Reserves up to `count` slots and returns how many were reserved. Each slot must be released. Leaves
   * one slot free for each other account that is waiting for its turn.
   */
  reserve(host: string, { account, count, now }: Wanted): number {
    const inFlight = this.#inFlight.get(host) ?? 0
    const waiting = this.#waitingAt(host, now)
    const turn = [...waiting.keys()].indexOf(account)
    const others = waiting.size - (turn < 0 ? 0 : 1)
    const free = MAX_PER_HOST - inFlight
    const isTurn = turn >= 0 && turn < free
    const reserved = Math.max(isTurn ? 1 : 0, Math.min(count, free - others))
    if (reserved > 0) {
      waiting.delete(account)
      this.#inFlight.set(host, inFlight + reserved)
    } else waiting.set(account, now)
    if (waiting.size > 0) this.#waiting.set(host, waiting)
    else this.#waiting.delete(host)
    return reserved
  }

  release(host: string, count: number): void {
    const left = (this.#inFlight.get(host) ?? 0) - count
    if (left > 0) this.#inFlight.set(host, left)
    else this.#inFlight.delete(host)
  }

  #waitingAt(host: string, now: number): Map<string, number> {
    const waiting = this.#waiting.get(host) ?? new Map<string, number>()
    for (const [account, since] of waiting) if (now - since >= WAITING_MS) waiting.delete(account)
    return waiting
  }
}
