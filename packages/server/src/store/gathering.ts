/** What nobody waits for is kept for company of its kind, and begun when nobody waits for an answer. */
import { clearTimeout, setTimeout } from 'node:timers'
import type { Lull } from '../lulls.ts'

const GATHERING_MS = 200

export class Gathering<T> {
  readonly #lull: Lull
  readonly #begin: (all: readonly T[]) => void
  #gathered: T[] = []
  #patience: NodeJS.Timeout | undefined

  constructor(lull: Lull, begin: (all: readonly T[]) => void) {
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
