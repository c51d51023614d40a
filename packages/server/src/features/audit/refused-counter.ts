/**
 * Counts requests that were refused because their sender may not do it: one count for each sender, operation and hour, so
 * that a flood fills nothing.
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
/** `first` is the first of its hour; the others differ in network and id only. */
export type Counted = {
  readonly first: RefusedRequest
  readonly at: number
  count: number
  written: number
  id?: string
}

/** Of one account in an hour; what is more is counted together. */
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

  /** Those whose entry lacks a count, once each; those of hours that are over are forgotten when they are written. */
  unwritten(now: number): Counted[] {
    const hour = Math.floor(now / HOUR_MS)
    for (const [key, { at, count, written }] of this.#counts)
      if (count === written && Math.floor(at / HOUR_MS) < hour) this.#counts.delete(key)
    return [...this.#counts.values()].filter(({ count, written }) => count > written)
  }

  /** One after the other, so that no count is written before its entry. */
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
