/**
 * Counts requests from unsupported games since the last write. Counting costs one addition. The number of
 * games in memory is bounded, because clients can send any ID.
 */
import { dayAt } from '../../api/periods.ts'
import type { HubDemandTable } from '../../database/schema/hub-tables.ts'

export type Demand = Readonly<HubDemandTable>
type Asked = Pick<Demand, 'project_id' | 'place_id' | 'game_id'>

/** Place and game IDs of the row that counts the games beyond the limit. */
const OTHER = ''
/** Maximum number of games in memory between two writes, across all projects. */
const MAX_WAITING = 20_000

export class DemandCounter {
  #counts = new Map<string, Demand>()

  countDemand(asked: Asked, now: number): void {
    this.#add({ ...asked, day: dayAt(now), requests: 1, last_at: now })
  }

  /** Returns all counts and resets them. */
  takeCounts(): Demand[] {
    const taken = [...this.#counts.values()]
    this.#counts = new Map()
    return taken
  }

  /** Adds back counts that could not be written. */
  returnCounts(counts: readonly Demand[]): void {
    for (const one of counts) this.#add(one)
  }

  #add(one: Demand): void {
    const isFull = this.#counts.size >= MAX_WAITING && !this.#counts.has(nameOf(one))
    const row = isFull ? asOther(one) : one
    const known = this.#counts.get(nameOf(row))
    this.#counts.set(nameOf(row), {
      ...row,
      requests: row.requests + (known?.requests ?? 0),
      last_at: Math.max(row.last_at, known?.last_at ?? 0),
    })
  }
}

export function asOther(row: Demand): Demand {
  return { ...row, place_id: OTHER, game_id: OTHER }
}

function nameOf({ project_id, day, place_id, game_id }: Demand): string {
  return [project_id, day, place_id, game_id].join(' ')
}
