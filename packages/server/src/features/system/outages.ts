/** Records when this process first noticed each problem, for operators. In memory only. */
export class Outages {
  readonly #now: () => number
  readonly #since = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns when the problem was first recorded. Records it now if it is new. */
  note(name: string): number {
    const since = this.#since.get(name) ?? this.#now()
    this.#since.set(name, since)
    return since
  }

  end(name: string): void {
    this.#since.delete(name)
  }
}
