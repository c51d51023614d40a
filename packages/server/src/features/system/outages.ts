/**
 * Records when this process first noticed each problem, for operators. The records are kept only in memory.
 */
export class Outages {
  readonly #now: () => number
  readonly #since = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns when the problem was first recorded. If the problem is new, records it now. */
  note(name: string): number {
    const since = this.#since.get(name) ?? this.#now()
    this.#since.set(name, since)
    return since
  }

  end(name: string): void {
    this.#since.delete(name)
  }
}
