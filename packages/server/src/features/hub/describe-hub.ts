/**
 * Describes a hub to its author: the line to publish, where each script runs, and the games that no script
 * supports.
 */
import { dayAt } from '../../api/periods.ts'
import type { Deps } from '../../deps.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { targetsOf } from '../scripts/hub-targets.ts'
import { ANY, listProjectTargets } from '../scripts/store/hub-targets.ts'
import { DEMAND_DAYS } from './demand.ts'
import { countOtherDemand, listDemand } from './store/hub-demand.ts'

const MAX_LISTED = 100

export async function describeHub({ db, now }: Deps, { id }: ProjectRow, url: string) {
  const from = dayAt(now()) - DEMAND_DAYS + 1
  const rows = await listProjectTargets(db.read, id)
  const targets = [...Map.groupBy(rows, (row) => row.id)].map(([script_id, own]) => ({
    ...{ script_id, name: own[0]?.name ?? '', enabled: own[0]?.enabled === 1 },
    ...targetsOf(own),
  }))
  return {
    line: `loadstring(game:HttpGet("${url}/hub/${id}"))()`,
    targets,
    default: targets.find(({ games }) => games.includes(ANY))?.script_id ?? null,
    demand: await listDemand(db.read, { project_id: id, from, limit: MAX_LISTED }),
    other_requests: await countOtherDemand(db.read, id, from),
  }
}
