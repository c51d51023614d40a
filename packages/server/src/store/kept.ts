/** What was read once and is kept for all who ask for it next, by the names that they give it. */
import type { Unchanged } from './db.ts'

const MOST_KEPT = 10_000

type Read<T> = () => Promise<T | undefined>

export class Kept implements Unchanged {
  readonly #found = new Map<string, object>()
  /** How often everything was forgotten: what was asked for before that is not kept after it. */
  #times = 0

  find<T extends object>(name: string, read: Read<T>): T | Promise<T | undefined> {
    return (this.#found.get(name) as T | undefined) ?? this.#look(name, read)
  }

  forget(): void {
    this.#times += 1
    this.#found.clear()
  }

  async #look<T extends object>(name: string, read: Read<T>): Promise<T | undefined> {
    const times = this.#times
    const found = await read()
    if (found === undefined || times !== this.#times) return found
    if (this.#found.size >= MOST_KEPT) this.#found.clear()
    this.#found.set(name, found)
    return found
  }
}

/** For an engine that does not tell of what other processes commit: nothing in it is older than `keptMs`. */
export class BrieflyKept implements Unchanged {
  readonly #kept = new Kept()
  readonly #keptMs: number
  #since = Number.NEGATIVE_INFINITY

  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  find<T extends object>(name: string, read: Read<T>): T | Promise<T | undefined> {
    const now = performance.now()
    if (now - this.#since >= this.#keptMs) {
      this.#since = now
      this.#kept.forget()
    }
    return this.#kept.find(name, read)
  }

  /** After each commit of this process, before anybody is told of it. */
  forget(): void {
    this.#kept.forget()
  }
}
