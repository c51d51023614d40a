/**
 * How executions ended since counts were last written. Anyone can be denied as often as they like: each outcome costs
 * an addition here, and a write takes as many rows as there are scripts and reasons, however many executions there were.
 */

import { HOUR_MS } from '../../api/periods.ts'
import type { Outcome } from './store/outcomes.ts'

export type Counted = {
  readonly project_id: string
  readonly script_id: string
  /** When the hour began. */
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

  /** All counts, which are the caller's from now on. */
  takeCounts(): Counted[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken
  }

  /** Counts that could not be written. */
  returnCounts(counts: readonly Counted[]): void {
    for (const one of counts) this.#add(one)
  }

  #add(one: Counted): void {
    const name = `${one.script_id} ${one.hour} ${one.outcome}`
    const count = (this.#counts.get(name)?.count ?? 0) + one.count
    this.#counts.set(name, { ...one, count })
  }
}
