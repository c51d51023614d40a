/**
 * Counts outcomes since the last write. The number of denials is unlimited, so each outcome costs only one
 * addition here. The number of rows written depends on the scripts and reasons, not on the executions.
 */

import { HOUR_MS } from '../../api/periods.ts'
import type { Database, Queries } from '../../database/engine/db.ts'
import type { Outcome } from './store/outcomes.ts'

export type Counted = {
  readonly project_id: string
  readonly script_id: string
  /** Start of the hour, in milliseconds since 1970. */
  readonly hour: number
  readonly outcome: Outcome
  readonly count: number
}

type Ended = Pick<Counted, 'outcome'> & {
  readonly script: { readonly id: string; readonly project_id: string }
  readonly now: number
}

export class OutcomeCounter {
  #counts = new Map<string, Counted>()

  countOutcome({ script, outcome, now }: Ended): void {
    const hour = Math.floor(now / HOUR_MS) * HOUR_MS
    this.#add({ project_id: script.project_id, script_id: script.id, hour, outcome, count: 1 })
  }

  /** Returns all counts and clears them. */
  takeCounts(): Counted[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken
  }

  /**
   * Runs a transaction, and adds the outcomes that `work` counts after it has committed. If the database
   * retries `work`, only the last attempt is counted.
   */
  async countDone<T>(
    { transaction }: Pick<Database, 'transaction'>,
    work: (tx: Queries, outcomes: OutcomeCounter) => Promise<T>,
  ): Promise<T> {
    let own = new OutcomeCounter()
    const done = await transaction((tx) => {
      own = new OutcomeCounter()
      return work(tx, own)
    })
    this.returnCounts(own.takeCounts())
    return done
  }

  /** Adds back counts that could not be written. */
  returnCounts(counts: readonly Counted[]): void {
    for (const one of counts) this.#add(one)
  }

  #add(one: Counted): void {
    const name = `${one.script_id} ${one.hour} ${one.outcome}`
    const count = (this.#counts.get(name)?.count ?? 0) + one.count
    this.#counts.set(name, { ...one, count })
  }
}
