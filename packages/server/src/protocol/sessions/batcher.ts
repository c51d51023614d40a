/**
 * Debounced batching with a maximum wait, for work that costs little more for many items than for one, such
 * as a statement and its commit.
 */

type Waiting<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Returns an outcome for each item, in order. A thrown error rejects all items. */
export type BatchWork<Item, Outcome> = (items: readonly Item[]) => Promise<readonly Outcome[]>

export type BatchLimits = {
  /** The queue is polled at this interval. A batch begins when a poll finds no new items. */
  readonly pollMs: number
  /** A batch begins after at most this many polls. */
  readonly maxPolls: number
  /** With this many items, a batch begins at the next poll. */
  readonly minBatch: number
  /** With this many items, a batch begins immediately. */
  readonly maxBatch: number
}

export class Batcher<Item, Outcome> {
  readonly #limits: BatchLimits
  #waiting: Waiting<Item, Outcome>[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(limits: BatchLimits) {
    this.#limits = limits
  }

  /** Processes `item` in a batch. `work` must be the same for all items. */
  add(item: Item, work: BatchWork<Item, Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#limits.maxBatch) void this.#runBatch(work)
      else if (this.#timer === undefined) this.#poll(work, { before: 1, polls: 1 })
    })
  }

  /** `before` is the queue's length at the last poll. */
  #poll(work: BatchWork<Item, Outcome>, { before, polls }: { before: number; polls: number }): void {
    const { pollMs, maxPolls, minBatch } = this.#limits
    this.#timer = setTimeout(() => {
      const { length } = this.#waiting
      if (length === before || length >= minBatch || polls >= maxPolls) void this.#runBatch(work)
      else this.#poll(work, { before: length, polls: polls + 1 })
    }, pollMs)
  }

  async #runBatch(work: BatchWork<Item, Outcome>): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = this.#waiting
    this.#waiting = []
    try {
      const outcomes = await work(waiting.map(({ item }) => item))
      for (const [i, { resolve }] of waiting.entries()) resolve(outcomes[i] as Outcome)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
