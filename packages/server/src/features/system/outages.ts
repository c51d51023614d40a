/** Since when this process has known of each problem, for operators. Held in memory only. */
export class Outages {
  readonly #now: () => number
  readonly #since = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns when the problem was first noticed: now, or earlier if it was noted before. */
  note(name: string): number {
    const since = this.#since.get(name) ?? this.#now()
    this.#since.set(name, since)
    return since
  }

  end(name: string): void {
    this.#since.delete(name)
  }
}
