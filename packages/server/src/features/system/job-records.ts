/**
 * Records when each job in this process last ran, whether it failed, and when it runs next, for operators.
 * The records are kept only in memory.
 */

export type JobRecord = {
  readonly name: string
  readonly last_run_at: number | null
  /** Time of the last failed run, even if later runs succeeded. */
  readonly last_error_at: number | null
  readonly last_error: string | null
  /** Null while the job is running. */
  readonly next_run_at: number | null
}

const NEW = { last_run_at: null, last_error_at: null, last_error: null, next_run_at: null }
const MAX_TEXT = 300

export class JobRecords {
  readonly #now: () => number
  readonly #records = new Map<string, JobRecord>()

  constructor(now: () => number) {
    this.#now = now
  }

  noteRun(name: string): void {
    this.#change(name, { last_run_at: this.#now(), next_run_at: null })
  }

  noteFailure(name: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error)
    this.#change(name, { last_error_at: this.#now(), last_error: text.slice(0, MAX_TEXT) })
  }

  notePause(name: string, ms: number): void {
    this.#change(name, { next_run_at: Math.round(this.#now() + ms) })
  }

  list(): JobRecord[] {
    return [...this.#records.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #change(name: string, changes: Partial<JobRecord>): void {
    this.#records.set(name, { ...(this.#records.get(name) ?? { name, ...NEW }), ...changes })
  }
}
