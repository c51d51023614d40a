/**
 * Counts daily requests from games that no script supports, to show the author which games to support next.
 */
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { lockAnyProject } from '../projects/store/projects.ts'
import { asOther, type Demand } from './demand-counter.ts'
import { addDemand, listGamesOfDay } from './store/hub-demand.ts'

/** Number of days that demand is stored for, and number of days shown. */
export const DEMAND_RETENTION_DAYS = 90
export const DEMAND_DAYS = 30
/**
 * Maximum number of games with a row per project and day. Requests from other games are counted together, so
 * that clients can't fill the table.
 */
export const MAX_GAMES_A_DAY = 500

/** Writes the counts collected since the last write, in one transaction per project and day. */
export async function writeDemand({ db, hubDemand }: Pick<Deps, 'db' | 'hubDemand'>): Promise<void> {
  const left = Map.groupBy(hubDemand.takeCounts(), ({ project_id, day }) => `${project_id} ${day}`)
  try {
    for (const [name, counts] of left) {
      await db.transaction((tx) => write(tx, counts))
      left.delete(name)
    }
  } finally {
    for (const counts of left.values()) hubDemand.returnCounts(counts)
  }
}

/** Locks the project, so that several processes can't exceed the limit together. */
async function write(tx: Queries, counts: readonly Demand[]): Promise<void> {
  const [first] = counts
  if (first === undefined || !(await lockAnyProject(tx, first.project_id))) return
  const known = new Set((await listGamesOfDay(tx, first)).map(nameOf))
  const rows = new Map<string, Demand>()
  for (const one of counts.toSorted((a, b) => b.requests - a.requests)) {
    const isNamed = known.has(nameOf(one)) || known.size < MAX_GAMES_A_DAY
    const row = isNamed ? one : asOther(one)
    if (isNamed) known.add(nameOf(one))
    const sum = (rows.get(nameOf(row))?.requests ?? 0) + row.requests
    rows.set(nameOf(row), { ...row, requests: sum })
  }
  await addDemand(tx, [...rows.values()])
}

function nameOf({ place_id, game_id }: Pick<Demand, 'place_id' | 'game_id'>): string {
  return `${place_id} ${game_id}`
}
