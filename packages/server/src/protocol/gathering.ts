/**
 * Work that costs little more for many than for one, such as a statement and its commit: whoever comes within a few
 * milliseconds of the first is done together with him. Nobody waits for longer than that before the work begins.
 */

type Waiting<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Answers for each item, in their order. What it throws is the answer to all. */
export type Work<Item, Outcome> = (items: readonly Item[]) => Promise<readonly Outcome[]>

export class Gathering<Item, Outcome> {
  readonly #waitMs: number
  readonly #most: number
  #waiting: Waiting<Item, Outcome>[] = []
  #timer: NodeJS.Timeout | undefined

  /** Waits `waitMs` for company, and not at all once `most` have come. */
  constructor(waitMs: number, most: number) {
    this.#waitMs = waitMs
    this.#most = most
  }

  /** Has `item` done by `work`, which has to be the same for all that come here. */
  add(item: Item, work: Work<Item, Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#most) void this.#begin(work)
      else this.#timer ??= setTimeout(() => void this.#begin(work), this.#waitMs)
    })
  }

  async #begin(work: Work<Item, Outcome>): Promise<void> {
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
