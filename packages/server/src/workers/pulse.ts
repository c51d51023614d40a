/**
 * Lets changes that are ready at different times begin together: on SQLite they then share one commit, which is a wait
 * for the disk that everybody feels.
 */
export class Pulse {
  #next = Promise.withResolvers<void>()
  #isOpen = false

  /** Resolves with the next beat. */
  wait(): Promise<void> {
    return this.#isOpen ? Promise.resolve() : this.#next.promise
  }

  beat(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  /** From now on nobody waits. */
  open(): void {
    this.#isOpen = true
    this.beat()
  }
}
