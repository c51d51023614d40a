/**
 * Decides which runs report the functions of their host. Remembers per process when an executor's version was last asked, so
 * that an execution reads nothing for it.
 */

const ASK_AGAIN_MS = 60_000
/** Clients can report any name and version. Each entry takes about 200 bytes. */
const MAX_REMEMBERED = 2000

export type ExecutorVersion = { readonly name: string; readonly version: string }

export class ProbeAsks {
  /** By executor and version: when the next client is asked. Least recently changed first. */
  readonly #due = new Map<string, number>()

  /** Whether to ask this run. The next one is asked a minute later, unless an answer arrives. */
  take(executor: ExecutorVersion, now: number): boolean {
    if ((this.#due.get(keyOf(executor)) ?? 0) > now) return false
    this.rest(executor, now + ASK_AGAIN_MS)
    return true
  }

  /** No run is asked before `until`. */
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
