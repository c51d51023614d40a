/** Collects the warnings of one build. */

export class Warnings {
  readonly #unprotected = new Map<string, number>()
  readonly #others = new Map<string, number>()

  add(message: string): void {
    count(this.#others, message)
  }

  /** Adds a warning about protection that the author requested but that is missing. */
  addUnprotected(message: string): void {
    count(this.#unprotected, message)
  }

  /**
   * Warnings about missing protection come first. Equal warnings are merged into one warning with a count.
   */
  list(): readonly string[] {
    return [...this.#unprotected, ...this.#others].map(([message, times]) =>
      times === 1 ? message : `${message} (${times} times)`,
    )
  }
}

function count(counts: Map<string, number>, message: string): void {
  counts.set(message, (counts.get(message) ?? 0) + 1)
}
