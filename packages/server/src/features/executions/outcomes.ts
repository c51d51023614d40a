/**
 * Hourly and daily outcomes of executions: granted (including how many crashed or vanished), or denied with
 * the reason. They are counted in memory and written every few seconds, so a crash loses the last few
 * seconds.
 */
import { setImmediate } from 'node:timers/promises'
import { type Period, type PeriodQuery, periodOf, STEPS, type Step } from '../../api/periods.ts'
import { Refused, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { type Caller, mayReach } from '../access/caller.ts'
import { listOwnProjectIds, type ProjectRow } from '../projects/store/projects.ts'
import { listScriptNames } from '../scripts/store/scripts.ts'
import type { Counted } from './outcome-counter.ts'
import { addOutcomes, listOutcomes, type OutcomeCount, type OutcomeRow } from './store/outcomes.ts'

export type OutcomeQuery = PeriodQuery & { readonly script_id?: string }

export type Outcomes = {
  readonly step: Step
  /** All hours or days, oldest first, including those without executions. */
  readonly outcomes: PeriodOutcomes[]
}
type PeriodOutcomes = {
  at: number
  granted: number
  crashed: number
  vanished: number
  denied: Record<string, number>
}

/** SQLite reads block the event loop, so an account's projects are read in batches. */
const PROJECTS_SLICE = 20

/** Writes the counts collected since the last write. */
export async function writeOutcomes({ db, outcomes }: Pick<Deps, 'db' | 'outcomes'>): Promise<void> {
  const counts = outcomes.takeCounts()
  if (counts.length === 0) return
  try {
    await db.transaction((tx) => addOutcomes(tx, rowsOf(counts)))
  } catch (error) {
    outcomes.returnCounts(counts)
    throw error
  }
}

export async function readProjectOutcomes(
  deps: Deps,
  { project }: { readonly project: ProjectRow },
  query: OutcomeQuery,
): Promise<Outcomes | Refused<'invalid_request' | 'not_found'>> {
  const { script_id } = query
  if (script_id !== undefined) {
    const scripts = await listScriptNames(deps.db.read, project.customer_id, project.id)
    if (!scripts.some(({ id }) => id === script_id))
      return refuseMissing(`Script ${shownId(script_id)} does not exist in this project`)
  }
  return readOutcomes(deps, [project.id], query)
}

/** Reads the outcomes of all projects in an account that the caller can access. */
export async function readAccountOutcomes(
  deps: Deps,
  customerId: string,
  caller: Caller,
  query: OutcomeQuery,
): Promise<Outcomes | Refused<'invalid_request'>> {
  const ids = await listOwnProjectIds(deps.db.read, customerId)
  return readOutcomes(
    deps,
    ids.filter((id) => mayReach(caller, id)),
    query,
  )
}

async function readOutcomes(
  deps: Deps,
  projectIds: readonly string[],
  query: OutcomeQuery,
): Promise<Outcomes | Refused<'invalid_request'>> {
  const period = periodOf(query, deps.now())
  if (period instanceof Refused) return period
  const places = placesOf(period)
  for (let from = 0; from < projectIds.length; from += PROJECTS_SLICE) {
    if (from > 0) await setImmediate()
    const ids = projectIds.slice(from, from + PROJECTS_SLICE)
    addCounts(places, await listOutcomes(deps.db.read, ids, query.script_id, period))
  }
  return { step: period.step, outcomes: [...places.values()] }
}

function addCounts(places: Map<number, PeriodOutcomes>, counts: readonly OutcomeCount[]): void {
  for (const { at, outcome, count } of counts) {
    const place = places.get(at)
    if (place === undefined) continue
    if (outcome === 'granted' || outcome === 'crashed' || outcome === 'vanished') place[outcome] += count
    else place.denied[outcome] = (place.denied[outcome] ?? 0) + count
  }
}

function placesOf({ step, from, to }: Period): Map<number, PeriodOutcomes> {
  const places = new Map<number, PeriodOutcomes>()
  for (let at = from; at < to; at += STEPS[step].ms)
    places.set(at, { at, granted: 0, crashed: 0, vanished: 0, denied: {} })
  return places
}

/** Turns each count into four rows: per hour and per day, for the script and for the project. */
function rowsOf(counts: readonly Counted[]): OutcomeRow[] {
  const rows = new Map<string, OutcomeRow>()
  for (const { project_id, script_id, hour, outcome, count } of counts)
    for (const step of ['hour', 'day'] as const)
      for (const script of [script_id, '']) {
        const { ms, held } = STEPS[step]
        const at = Math.floor(hour / ms) * ms
        const name = [project_id, script, step, at, outcome].join(' ')
        const sum = (rows.get(name)?.count ?? 0) + count
        const expires_at = at + (held + 1) * ms
        rows.set(name, { project_id, script_id: script, step, at, outcome, count: sum, expires_at })
      }
  return [...rows.values()]
}
