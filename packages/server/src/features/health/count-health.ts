/**
 * Counts each version's runs, the runs that crashed or vanished, and the customers they belong to. A worker
 * counts a run once it is old enough to have vanished. A crash is counted when its report is grouped, which
 * may be before or after its run is counted.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { customerOf } from './customer.ts'
import { currentEnding } from './ending.ts'
import { HealthCounts } from './health-counts.ts'
import {
  CAUSED_BY_VERSION,
  type CountedRun,
  countReleaseCrashes,
  countReleaseRuns,
} from './release-counts.ts'
import {
  hasUncounted,
  listUncounted,
  lockProgress,
  type UncountedRow,
  updateProgress,
} from './store/progress.ts'

const EVERY_MS = 5000
/**
 * Delay before a run is counted. By then, lost runs are marked as vanished and slow transactions have
 * committed.
 */
const COUNTED_AFTER_MS = 90_000
/** Limits how long a transaction blocks SQLite's writer. */
const BATCH_SIZE = 200
/** Pause after each batch, as a multiple of the batch's duration. */
const RESTS = 4

type Counting = Pick<Deps, 'db' | 'outcomes'>

export function countHealth({ db, outcomes }: Counting, clock: () => number): Worker {
  return {
    name: 'count-health',
    everyMs: EVERY_MS,
    run: async () => {
      const before = clock() - COUNTED_AFTER_MS
      if (!(await hasUncounted(db.read, before))) return false
      const start = performance.now()
      const isMore = await outcomes.countDone(db, (tx, own) => countBatch(tx, own, { now: clock(), before }))
      // Leaves SQLite's writer free for requests while a backlog is counted.
      if (isMore) await wait(RESTS * (performance.now() - start))
      return isMore
    },
  }
}

/**
 * Stops at the first row that is too recent, because rows are counted in the order they were
 * written.
 */
async function countBatch(
  tx: Queries,
  outcomes: Deps['outcomes'],
  { now, before }: { readonly now: number; readonly before: number },
): Promise<boolean> {
  const listed = await listUncounted(tx, await lockProgress(tx), BATCH_SIZE)
  const young = listed.findIndex(({ at }) => at > before)
  const rows = young < 0 ? listed : listed.slice(0, young)
  const last = rows.at(-1)
  if (last === undefined) return false
  const counts = new HealthCounts()
  for (const row of rows) {
    if (row.outcome === 'denied') counts.add(runOf(row), 'denied')
    else {
      const isVanished = hasVanished(row, now)
      counts.addRun(runOf(row), customerOf(row), isVanished)
      if (isVanished) outcomes.countOutcome(vanished(row))
    }
  }
  await counts.write(tx)
  await countReleaseRuns(tx, rows.filter(isOfRelease).map(describeRun))
  await updateProgress(tx, last.seq)
  return rows.length === BATCH_SIZE
}

function vanished({ script_id, project_id, at }: UncountedRow) {
  return { script: { id: script_id, project_id }, outcome: 'vanished', now: at } as const
}

function runOf({ script_id, script_version: version, executor, at }: UncountedRow) {
  return { script_id, version, executor, at }
}

/** A denial counts for a release only if the version caused it and the customer is known. */
function isOfRelease({ outcome, reason, user_key, device }: UncountedRow): boolean {
  if (outcome !== 'denied') return true
  return reason !== null && CAUSED_BY_VERSION.has(reason) && (user_key ?? device) !== null
}

function describeRun(row: UncountedRow): CountedRun {
  const { exec, tags, plan_id, outcome } = row
  return { ...runOf(row), customer: customerOf(row), exec, tags, plan_id, isBad: outcome !== 'granted' }
}

function hasVanished(
  { ending, granted_at, last_seen, expires_at, kick }: UncountedRow,
  now: number,
): boolean {
  if (granted_at === null || last_seen === null || expires_at === null) return ending === 'vanished'
  return currentEnding({ granted_at, last_seen, expires_at, kick }, now) === 'vanished'
}

type CrashedRun = Pick<
  UncountedRow,
  'script_id' | 'script_version' | 'executor' | 'user_key' | 'device' | 'exec'
> & {
  readonly crashed_run_at: number | null
}

/** Counts the first crash of each run of one script, and ignores other reports. */
export async function countCrashes(
  tx: Queries,
  scriptId: string,
  reports: readonly CrashedRun[],
): Promise<void> {
  const counts = new HealthCounts()
  const customers: { customer: string; exec: string }[] = []
  for (const report of reports) {
    const { script_id, script_version: version, executor, exec, crashed_run_at: at } = report
    if (at === null) continue
    const customer = customerOf(report)
    counts.addCrash({ script_id, version, executor, at }, customer)
    customers.push({ customer, exec })
  }
  if (customers.length === 0) return
  await counts.write(tx)
  await countReleaseCrashes(tx, scriptId, customers)
}
