/**
 * Counts requests that are denied for missing permissions, per sender, operation and hour, so that a flood
 * can't fill the log.
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
/** `first` is the first request of the hour. The others differ from it only in network and request ID. */
export type Counted = {
  readonly first: RefusedRequest
  readonly at: number
  count: number
  written: number
  id?: string
}

/** Maximum number of entries per account per hour. Requests beyond this limit share one count. */
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
   * Returns the counts that differ from their audit entries. Counts for past hours are discarded once
   * written.
   */
  unwritten(now: number): Counted[] {
    const hour = Math.floor(now / HOUR_MS)
    for (const [key, { at, count, written }] of this.#counts)
      if (count === written && Math.floor(at / HOUR_MS) < hour) this.#counts.delete(key)
    return [...this.#counts.values()].filter(({ count, written }) => count > written)
  }

  /** Runs one write at a time, so that no count is updated before its entry exists. */
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
