/**
 * Decides which runs report their host's functions. Each process remembers when it last asked for an executor
 * version's functions, so executions need no query for this.
 */

const ASK_AGAIN_MS = 60_000
/**
 * Maximum number of entries. Clients can report any name and version, and each entry takes about 200 bytes.
 */
const MAX_REMEMBERED = 2000

export type ExecutorVersion = { readonly name: string; readonly version: string }

export class ProbeAsks {
  /** When the next client is asked, by executor and version, least recently changed first. */
  readonly #due = new Map<string, number>()

  /** Returns whether to ask this run. The next run is asked a minute later, unless an answer arrives. */
  take(executor: ExecutorVersion, now: number): boolean {
    if ((this.#due.get(keyOf(executor)) ?? 0) > now) return false
    this.rest(executor, now + ASK_AGAIN_MS)
    return true
  }

  /** Ensures that no run is asked before `until`. */
  rest(executor: ExecutorVersion, until: number): void {
    const key = keyOf(executor)
    this.#due.delete(key)
    this.#due.set(key, until)
    if (this.#due.size <= MAX_REMEMBERED) return
    for (const [oldest] of this.#due) {
      this.#due.delete(oldest)
      return
    }
  }
}

function keyOf({ name, version }: ExecutorVersion): string {
  return `${name}\n${version}`
}
