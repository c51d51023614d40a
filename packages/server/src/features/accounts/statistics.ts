/**
 * Executions and executors of an account, a project or a script in recent days. They come from counters per
 * script, day and executor, which `execution.ts` increments.
 */
import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import { type Days, listExecutorCounts, listScriptDays } from '../executions/store/daily-executions.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { listScriptNames, type ScriptName } from '../scripts/store/scripts.ts'
import type { CustomerRow } from './store/customers.ts'

/** An account with everything it owns, or one of its projects or scripts. */
export type Measured = {
  readonly customer: CustomerRow
  readonly project?: ProjectRow
  readonly script?: ScriptName
}
/** Executions by `MM/DD`, oldest first. Days without executions are 0. */
export type DateMap = Record<string, number>
export type ExecutorStatistics = {
  readonly executors: Record<string, number>
  readonly percentages: Record<string, number>
}

const DAY_MS = 86_400_000
const DAYS = 30
/** 100%, in hundredths of a percent. */
const WHOLE = 10_000
/** SQLite reads block the event loop, so long statistics are read in slices. */
const SCRIPTS_SLICE = 20

/** Daily executions of one script. */
export async function scriptExecutions(deps: Deps, measured: Required<Measured>): Promise<DateMap> {
  const { total } = await countExecutions(deps, measured)
  return total
}

/** Daily executions of each script under `<name> - <id>`, and their sum under `total`. */
export async function executionsByScript(
  deps: Deps,
  measured: Measured,
): Promise<{ total: DateMap } & Record<string, DateMap>> {
  const { total, scripts } = await countExecutions(deps, measured)
  const entries = scripts.map(({ script, dates }) => [`${script.name} - ${script.id}`, dates] as const)
  return { total, ...Object.fromEntries(entries) }
}

/**
 * Returns the most used executors first. Percentages have two decimals and add up to 100 unless there are no
 * executions.
 */
export async function executorStatistics(deps: Deps, measured: Measured): Promise<ExecutorStatistics> {
  const days = lastDays(deps.now())
  const counts = new Map<string, number>()
  for await (const ids of slices(await scriptsOf(deps, measured))) {
    for (const { executor, count } of await listExecutorCounts(deps.db.read, measured.customer.id, ids, days))
      counts.set(executor, (counts.get(executor) ?? 0) + count)
  }
  const sorted = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const shares = splitShares(sorted.map(([, count]) => count))
  return {
    executors: Object.fromEntries(sorted),
    percentages: Object.fromEntries(sorted.map(([executor], i) => [executor, (shares[i] ?? 0) / 100])),
  }
}

/**
 * Splits 10,000 into shares proportional to the counts. Each share is rounded down, and the remainder goes to
 * the shares with the largest fractions, so that every share is off by less than 0.01%.
 */
export function splitShares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return counts.map(() => 0)
  const exact = counts.map((count) => (count * WHOLE) / total)
  const shares = exact.map(Math.floor)
  const missing = WHOLE - shares.reduce((sum, share) => sum + share, 0)
  const byLoss = exact.map((part, i) => ({ i, loss: part - Math.floor(part) }))
  byLoss.sort((a, b) => b.loss - a.loss || a.i - b.i)
  for (const { i } of byLoss.slice(0, missing)) shares[i] = (shares[i] ?? 0) + 1
  return shares
}

type ScriptDates = { readonly script: ScriptName; readonly dates: DateMap }

async function countExecutions(
  deps: Deps,
  measured: Measured,
): Promise<{ total: DateMap; scripts: ScriptDates[] }> {
  const days = lastDays(deps.now())
  const labels = Array.from({ length: DAYS }, (_, i) => labelOf(days.first + i))
  const zeros = (): DateMap => Object.fromEntries(labels.map((label) => [label, 0]))
  const scripts = (await scriptsOf(deps, measured)).map((script) => ({ script, dates: zeros() }))
  const datesOf = new Map(scripts.map(({ script, dates }) => [script.id, dates]))
  const total = zeros()
  for await (const ids of slices(scripts.map(({ script }) => script))) {
    for (const { script_id, day, count } of await listScriptDays(
      deps.db.read,
      measured.customer.id,
      ids,
      days,
    )) {
      const label = labels[day - days.first] ?? ''
      for (const dates of [total, datesOf.get(script_id) ?? {}]) dates[label] = (dates[label] ?? 0) + count
    }
  }
  return { total, scripts }
}

async function scriptsOf(deps: Deps, { customer, project, script }: Measured): Promise<ScriptName[]> {
  return script ? [script] : listScriptNames(deps.db.read, customer.id, project?.id)
}

/** Yields IDs in slices, and lets other requests run between slices. */
async function* slices(scripts: readonly ScriptName[]): AsyncGenerator<string[]> {
  for (let from = 0; from < scripts.length; from += SCRIPTS_SLICE) {
    if (from > 0) await setImmediate()
    yield scripts.slice(from, from + SCRIPTS_SLICE).map(({ id }) => id)
  }
}

/** Today and the days before it, in UTC. */
function lastDays(now: number): Days {
  const last = Math.floor(now / DAY_MS)
  return { first: last - DAYS + 1, last }
}

function labelOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(5, 10).replace('-', '/')
}
