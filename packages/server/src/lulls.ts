/**
 * Moments in which nobody waits for an answer. Work that can wait for one does not take a processor or the database from a
 * request that is already here.
 */
import { clearTimeout, setImmediate, setTimeout } from 'node:timers'

/** Resolves when nobody waits for an answer, and soon in any case. */
export type Lull = () => Promise<void>

export class Lulls {
  #answering = 0
  readonly #waiting = new Set<() => void>()

  /** Requests that wait for their answer. */
  get answering(): number {
    return this.#answering
  }

  /** A request is here. */
  begin(): void {
    this.#answering += 1
  }

  /** It has its answer. */
  end(): void {
    this.#answering -= 1
    if (this.#answering === 0 && this.#waiting.size > 0) setImmediate(() => this.#tell())
  }

  /** Resolves when no request waits for its answer, after `mostMs` at the latest. */
  next(mostMs: number): Promise<void> {
    if (this.#answering === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const told = () => {
        clearTimeout(patience)
        this.#waiting.delete(told)
        resolve()
      }
      const patience = setTimeout(told, mostMs)
      this.#waiting.add(told)
    })
  }

  /** The event loop has looked for requests since the last one ended. */
  #tell(): void {
    if (this.#answering === 0) for (const told of this.#waiting) told()
  }
}
