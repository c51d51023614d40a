/**
 * Work that costs little more for many than for one, such as a statement and its commit: all who come before nobody came
 * for a moment are done together. Whoever is alone waits for that moment, and nobody for longer than is told.
 */

type Waiting<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/** Answers for each item, in their order. What it throws is the answer to all. */
export type Work<Item, Outcome> = (items: readonly Item[]) => Promise<readonly Outcome[]>

export type Company = {
  /** How often it is looked who has come. */
  readonly lookMs: number
  /** After so many looks the work begins in any case. */
  readonly looks: number
  /** For so many nobody waits any more once there was a look. */
  readonly enough: number
  /** For so many nobody waits at all. */
  readonly most: number
}

export class Gathering<Item, Outcome> {
  readonly #company: Company
  #waiting: Waiting<Item, Outcome>[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(company: Company) {
    this.#company = company
  }

  /** Has `item` done by `work`, which has to be the same for all that come here. */
  add(item: Item, work: Work<Item, Outcome>): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#waiting.length >= this.#company.most) void this.#begin(work)
      else if (this.#timer === undefined) this.#waitForMore(work, { before: 1, looks: 1 })
    })
  }

  /** `before` are those who had come by the last look. */
  #waitForMore(work: Work<Item, Outcome>, { before, looks }: { before: number; looks: number }): void {
    const company = this.#company
    this.#timer = setTimeout(() => {
      const { length } = this.#waiting
      const isOver = length === before || length >= company.enough || looks >= company.looks
      if (isOver) void this.#begin(work)
      else this.#waitForMore(work, { before: length, looks: looks + 1 })
    }, company.lookMs)
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
