/**
 * Leisurely changes of PostgreSQL: what comes within a fifth of a second shares a transaction, whose statements leave together.
 * Where one of them is refused or fails, nothing is known of the others, and each is made again alone.
 */
import type { Lull } from '../lulls.ts'
import type { Queries } from './db.ts'
import { isTimeout, isUnavailable } from './dialect.ts'
import { Gathering } from './gathering.ts'

/** Rows stay locked until all of them are made. */
const MOST_TOGETHER = 8

export type Change<T> = (tx: Queries) => Promise<T>
type Job = {
  readonly change: Change<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

export type LeisureOptions = {
  /** Makes a change, whole or not at all, without waiting for the disk. */
  readonly transaction: <T>(change: Change<T>) => Promise<T>
  readonly isRefusal: (value: unknown) => boolean
  readonly lull: Lull
}

export class PostgresLeisure {
  readonly #options: LeisureOptions
  readonly #gathering: Gathering<Job>
  readonly #underWay = new Set<Promise<void>>()

  constructor(options: LeisureOptions) {
    this.#options = options
    this.#gathering = new Gathering(options.lull, (jobs) => this.#begin(jobs))
  }

  /** Changes that wait for company. */
  get waiting(): number {
    return this.#gathering.size
  }

  run<T>(change: Change<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => this.#gathering.add({ change, resolve, reject }))
  }

  /** Resolves when everything that was accepted is settled. */
  async close(): Promise<void> {
    this.#gathering.end()
    await Promise.all(this.#underWay)
  }

  #begin(jobs: readonly Job[]): void {
    const made = this.#make(jobs).finally(() => this.#underWay.delete(made))
    this.#underWay.add(made)
  }

  async #make(jobs: readonly Job[]): Promise<void> {
    for (let start = 0; start < jobs.length; start += MOST_TOGETHER) {
      const some = jobs.slice(start, start + MOST_TOGETHER)
      if (some.length === 1 || !(await this.#together(some))) await this.#eachAlone(some)
    }
  }

  /** Whether all of them are settled. */
  async #together(jobs: readonly Job[]): Promise<boolean> {
    try {
      const values = await this.#options.transaction((tx) => this.#all(tx, jobs))
      for (const [index, { resolve }] of jobs.entries()) resolve(values[index] as never)
      return true
    } catch (error) {
      // One that waits for a lock too long says nothing of the others; without the server all would wait for it again.
      if (isTimeout(error) || !isUnavailable(error)) return false
      for (const { reject } of jobs) reject(error)
      return true
    }
  }

  async #all(tx: Queries, jobs: readonly Job[]): Promise<unknown[]> {
    const values = await Promise.all(jobs.map(({ change }) => change(tx)))
    if (values.some(this.#options.isRefusal))
      throw new Error('a change that is refused takes the others back')
    return values
  }

  async #eachAlone(jobs: readonly Job[]): Promise<void> {
    const alone = ({ change, resolve, reject }: Job) =>
      this.#options.transaction(change).then((value) => resolve(value as never), reject)
    await Promise.all(jobs.map(alone))
  }
}
