/** Describes the health of a script's versions, and of the live versions of a project. */
import type { Deps } from '../../deps.ts'
import { servedVersions } from '../releases/customer-version.ts'
import { findNewestVersion } from '../scripts/store/script-versions.ts'
import {
  ALL_EXECUTORS,
  type Counted,
  type HealthRow,
  listHealth,
  sumLiveHealth,
} from './store/version-health.ts'

/** Number of latest versions in a list. */
export const MAX_VERSIONS = 20
const DAY_MS = 86_400_000

export type VersionHealth = Awaited<ReturnType<typeof readHealth>>[number]

type ServedScript = { readonly id: string; readonly version: number; readonly staging: string | null }

/** Without `version`, returns the latest versions and any older ones that customers get, newest first. */
export async function readHealth(
  { db }: Pick<Deps, 'db'>,
  { id, ...script }: ServedScript,
  version?: number,
) {
  const from = version ?? (await findNewestVersion(db.read, id)) - MAX_VERSIONS + 1
  const isWanted = (row: HealthRow) => version === undefined || row.version === version
  const served = servedVersions(script)
  const totals = (await listHealth(db.read, id, { from, served, days: false })).filter(isWanted)
  const byDay = (await listHealth(db.read, id, { from, served, days: true })).filter(isWanted)
  return totals
    .filter(({ executor }) => executor === ALL_EXECUTORS)
    .map((total) => ({
      version: total.version,
      ...describeCounts(total),
      executors: totals
        .filter((row) => row.version === total.version && row.executor !== ALL_EXECUTORS)
        .map((row) => ({ executor: row.executor, ...describeCounts(row) })),
      days: byDay.filter((row) => row.version === total.version).map(describeDay),
    }))
}

/** Adds up the counts of the live versions of a project's scripts. */
export async function readProjectHealth({ db }: Pick<Deps, 'db'>, { id }: { readonly id: string }) {
  return describeCounts(await sumLiveHealth(db.read, id))
}

function describeCounts({
  runs,
  crashed,
  vanished,
  denied,
  customers,
  crashed_customers,
}: Pick<HealthRow, Counted>) {
  const crash_free_runs = shareOf(crashed, runs)
  const crash_free_customers = shareOf(crashed_customers, customers)
  return {
    runs,
    crashed,
    vanished,
    denied,
    customers,
    crashed_customers,
    crash_free_runs,
    crash_free_customers,
  }
}

function describeDay({ day, runs, crashed, vanished, denied }: HealthRow) {
  return { at: day * DAY_MS, runs, crashed, vanished, denied }
}

/**
 * Clamped at 0. A crash is counted immediately, but its run only later, so the fraction could briefly be
 * negative.
 */
function shareOf(bad: number, all: number): number | null {
  return all === 0 ? null : Math.max(0, 1 - bad / all)
}
