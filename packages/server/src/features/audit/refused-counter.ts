/**
 * Counts requests that were denied for missing permissions: one count per sender, operation and hour, so that floods
 * cannot fill the log.
 */
import { HOUR_MS } from '../../api/periods.ts'
import type { Reason } from '../../api/refusals.ts'
import type { Actor } from './entry.ts'

export type RefusedRequest = {
  readonly customerId: string
  readonly actor: Actor
  /** Name of the endpoint. */
  readonly operation: string
  readonly reason: Reason
  readonly address: string
  readonly requestId: string
}
/** `first` is the first request of its hour; the others differ only in network and ID. */
export type Counted = {
  readonly first: RefusedRequest
  readonly at: number
  count: number
  written: number
  id?: string
}

/** Maximum entries per account and hour. Requests beyond it are counted together. */
const MAX_OPERATIONS = 100
const OTHERS = 'others'

export class RefusedRequests {
  readonly #counts = new Map<string, Counted>()
  readonly #perAccount = new Map<string, number>()
  #hour = 0
  #writing: Promise<void> = Promise.resolve()

  count(request: RefusedRequest, now: number): void {
    const hour = Math.floor(now / HOUR_MS)
    const { customerId, actor, operation } = request
    const key = [hour, customerId, actor.kind, actor.id, operation].join(' ')
    const known = this.#counts.get(key) ?? this.#others(hour, customerId)
    if (known) known.count += 1
    else this.#add(hour, key, request, now)
  }

  /**
   * Returns each count that is not yet in its audit entry, once. Counts of past hours are discarded after they are
   * written.
   */
  unwritten(now: number): Counted[] {
    const hour = Math.floor(now / HOUR_MS)
    for (const [key, { at, count, written }] of this.#counts)
      if (count === written && Math.floor(at / HOUR_MS) < hour) this.#counts.delete(key)
    return [...this.#counts.values()].filter(({ count, written }) => count > written)
  }

  /** Serializes the work, so that no count is written before its entry. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(work)
    return this.#writing
  }

  #others(hour: number, customerId: string): Counted | undefined {
    const isFull = this.#hour === hour && (this.#perAccount.get(customerId) ?? 0) >= MAX_OPERATIONS
    return isFull ? this.#counts.get([hour, customerId, OTHERS].join(' ')) : undefined
  }

  #add(hour: number, key: string, request: RefusedRequest, now: number): void {
    if (this.#hour !== hour) this.#perAccount.clear()
    this.#hour = hour
    const { customerId } = request
    const number = (this.#perAccount.get(customerId) ?? 0) + 1
    this.#perAccount.set(customerId, number)
    const isLast = number >= MAX_OPERATIONS
    const first = isLast ? { ...request, operation: OTHERS } : request
    this.#counts.set(isLast ? [hour, customerId, OTHERS].join(' ') : key, {
      first,
      at: now,
      count: 1,
      written: 0,
    })
  }
}
