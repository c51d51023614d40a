/** What nobody waits for is kept for company of its kind, and begun when nobody waits for an answer. */
import { clearTimeout, setTimeout } from 'node:timers'

const GATHERING_MS = 200

export class Gathering<T> {
  readonly #lull: () => Promise<void>
  readonly #begin: (all: readonly T[]) => void
  #gathered: T[] = []
  #patience: NodeJS.Timeout | undefined

  /** `lull` resolves when nobody waits for an answer, and soon in any case. */
  constructor(lull: () => Promise<void>, begin: (all: readonly T[]) => void) {
    this.#lull = lull
    this.#begin = begin
  }

  get size(): number {
    return this.#gathered.length
  }

  add(one: T): void {
    this.#gathered.push(one)
    this.#patience ??= setTimeout(() => void this.#lull().then(() => this.end()), GATHERING_MS)
  }

  /** Begins what has come so far. */
  end(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (this.#gathered.length > 0) this.#begin(this.#gathered.splice(0))
  }
}
