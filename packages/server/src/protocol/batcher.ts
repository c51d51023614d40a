/**
 * Debounced batching with a maximum wait, for work that costs little more for many items than for one, such as a
 * statement and its commit. A batch starts when a poll finds that no item was added since the last one.
 */

type Waiting<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Resolves to one outcome for each item, in their order. What it throws rejects all of them. */
export type Work<Item, Outcome> = (items: readonly Item[]) => Promise<readonly Outcome[]>

export type BatchLimits = {
  /** Milliseconds between two polls. */
  readonly pollMs: number
  /** The batch starts at this poll in any case. */
  readonly maxPolls: number
  /** From this many items on, the batch starts at the next poll. */
  readonly minBatch: number
  /** With this many items the batch starts at once. */
  readonly maxBatch: number
}

export class Batcher<Item, Outcome> {
  readonly #limits: BatchLimits
  #waiting: Waiting<Item, Outcome>[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(limits: BatchLimits) {
    this.#limits = limits
  }

  /** Adds `item` to the next batch. `work` must be the same for every item. */
  add(item: Item, work: Work<Item, Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#limits.maxBatch) void this.#start(work)
      else if (this.#timer === undefined) this.#poll(work, { before: 1, polls: 1 })
    })
  }

  /** `before` is how many items the last poll found. */
  #poll(work: Work<Item, Outcome>, { before, polls }: { before: number; polls: number }): void {
    const { pollMs, maxPolls, minBatch } = this.#limits
    this.#timer = setTimeout(() => {
      const { length } = this.#waiting
      const isDue = length === before || length >= minBatch || polls >= maxPolls
      if (isDue) void this.#start(work)
      else this.#poll(work, { before: length, polls: polls + 1 })
    }, pollMs)
  }

  async #start(work: Work<Item, Outcome>): Promise<void> {
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
