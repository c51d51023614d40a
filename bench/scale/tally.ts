/** Counts what running scripts observe between two reports. */

/** An outage lasts from the first failure to the next accepted heartbeat or connection. */
export type Outage = {
  readonly ms: number
  /**
   * For heartbeats: the time since the last accepted heartbeat, which is when the client's grace period
   * began.
   */
  readonly silentMs: number
  /** For connections: whether the session was resumed. */
  readonly isResumed?: boolean
}

export type Counts = Readonly<Record<string, number>>

export type Report = {
  /** Accepted heartbeats or received frames. */
  readonly heard: number
  /** Number of running scripts that the server currently accepts. */
  readonly well: number
  /** Number of running scripts that are waiting for the server to accept them again. */
  readonly failing: number
  readonly back: readonly Outage[]
  /** Stopped scripts, by reason. */
  readonly stopped: Counts
  /** Failures by message, such as `HTTP 503`. */
  readonly errors: Counts
}

export class Tally {
  heard = 0
  #back: Outage[] = []
  #stopped = new Map<string, number>()
  #errors = new Map<string, number>()

  isBack(outage: Outage): void {
    this.#back.push(outage)
  }

  stopped(reason: string): void {
    count(this.#stopped, reason)
  }

  failed(words: string): void {
    count(this.#errors, words)
  }

  take(): Omit<Report, 'well' | 'failing'> {
    const { heard } = this
    const [back, stopped, errors] = [this.#back, fromMap(this.#stopped), fromMap(this.#errors)]
    this.heard = 0
    this.#back = []
    this.#stopped = new Map()
    this.#errors = new Map()
    return { heard, back, stopped, errors }
  }
}

export function count(counts: Map<string, number>, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

export function fromMap(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries(counts)
}

export function addCounts(all: readonly Counts[]): Counts {
  const sum = new Map<string, number>()
  for (const one of all) for (const [name, times] of Object.entries(one)) count(sum, name, times)
  return fromMap(sum)
}

export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, times) => sum + times, 0)
}

/** Returns the message of a client's error. */
export function wordsOf(error: unknown): string {
  const { code, cause, name, message } = error as Error & { code?: string }
  if (typeof code === 'string') return code
  return cause instanceof Error ? wordsOf(cause) : message || name
}
