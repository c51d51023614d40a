/**
 * Counts the customers of running releases by each customer's first run of either version. Counting one run
 * per customer keeps the versions comparable, although customers have used them for different lengths of
 * time.
 */
import type { DenialReason } from '@scriptward/client/messages'
import type { Queries } from '../../database/engine/db.ts'
import {
  channelFor,
  readStaging,
  type StagedCustomer,
  type StagedRelease,
  type Staging,
} from '../releases/customer-version.ts'
import {
  countSide,
  insertReleaseCustomers,
  type ReleaseCustomerRow,
  updateBadCustomer,
} from '../releases/store/release-customers.ts'
import { listStagings } from '../scripts/store/scripts.ts'
import { customerOf } from './customer.ts'
import { listRecentRuns } from './store/recent-runs.ts'

export type CountedRun = Pick<StagedCustomer, 'tags' | 'plan_id'> & {
  readonly script_id: string
  readonly version: number
  readonly executor: string
  readonly at: number
  readonly customer: string
  readonly exec: string
  readonly isBad: boolean
}

/** Reasons for denials that another version would have avoided. */
export const CAUSED_BY_VERSION: ReadonlySet<DenialReason> = new Set(['outdated_loader'])

/**
 * Maximum number of customers counted per version. A larger number wouldn't make the comparison more
 * reliable.
 */
const MAX_CUSTOMERS = 20_000

/** Adds runs, which must be in the order they started. */
export async function countReleaseRuns(tx: Queries, runs: readonly CountedRun[]): Promise<void> {
  const stagings = await readStagings(tx, new Set(runs.map(({ script_id }) => script_id)))
  const rows = new Map<string, ReleaseCustomerRow>()
  for (const run of runs)
    for (const release of releasesOf(stagings.get(run.script_id), run)) {
      const row = rowOf(release, run)
      const name = row && [row.release_id, row.fresh, row.customer].join(' ')
      if (name !== undefined && !rows.has(name)) rows.set(name, row as ReleaseCustomerRow)
    }
  await insertReleaseCustomers(tx, await withRoom(tx, [...rows.values()]))
}

/** Records crashes that were reported after their run was counted. */
export async function countReleaseCrashes(
  tx: Queries,
  scriptId: string,
  crashed: readonly Pick<CountedRun, 'customer' | 'exec'>[],
): Promise<void> {
  const releases = (await readStagings(tx, new Set([scriptId]))).get(scriptId)?.releases ?? []
  if (releases.length === 0) return
  const release_ids = releases.map(({ id }) => id)
  for (const run of crashed) await updateBadCustomer(tx, { release_ids, ...run })
}

function rowOf(release: StagedRelease, run: CountedRun): ReleaseCustomerRow | undefined {
  const isFresh = run.version === release.version
  if (run.at < release.since || !(isFresh || run.version === release.before)) return undefined
  const { customer, executor, exec } = run
  return { release_id: release.id, fresh: isFresh ? 1 : 0, customer, executor, exec, bad: run.isBad ? 1 : 0 }
}

/**
 * Customers on another channel got their version because of the channel rather than by chance, so they can't
 * be compared.
 */
function releasesOf(staging: Staging | undefined, run: CountedRun): readonly StagedRelease[] {
  if (staging === undefined) return []
  const channel = channelFor(staging, run)
  return staging.releases.filter((release) => release.channel === channel)
}

async function readStagings(tx: Queries, scriptIds: ReadonlySet<string>): Promise<Map<string, Staging>> {
  const rows = await listStagings(tx, [...scriptIds])
  return new Map(rows.map(({ id, staging }) => [id, readStaging(staging)]))
}

/**
 * Maximum age of the previous version's runs, for releases in which no customer runs that version alongside
 * the new one.
 */
const FORMER_MS = 24 * 3_600_000
/**
 * Maximum number of these runs, starting with the latest. A transaction can count this many without delaying
 * others.
 */
const MAX_FORMER_RUNS = 2000

type StartedRelease = Pick<StagedRelease, 'id' | 'channel'> & {
  readonly script_id: string
  readonly version_before: number
  readonly started_at: number
}

/** Counts the previous version's latest customers, for a release that all customers get from the start. */
export async function countFormerCustomers(tx: Queries, release: StartedRelease): Promise<void> {
  const { id: release_id, script_id, version_before: version, started_at } = release
  const staging = (await readStagings(tx, new Set([script_id]))).get(script_id)
  const recent = { script_id, version, after: started_at - FORMER_MS, limit: MAX_FORMER_RUNS }
  const rows = new Map<string, ReleaseCustomerRow>()
  for (const run of await listRecentRuns(tx, recent)) {
    const customer = customerOf(run)
    if (rows.has(customer) || (staging && channelFor(staging, run) !== release.channel)) continue
    const { exec, executor, outcome } = run
    rows.set(customer, { release_id, fresh: 0, customer, executor, exec, bad: outcome === 'crashed' ? 1 : 0 })
  }
  await insertReleaseCustomers(tx, [...rows.values()])
}

/** Leaves out customers of versions that already have enough. */
async function withRoom(tx: Queries, rows: readonly ReleaseCustomerRow[]): Promise<ReleaseCustomerRow[]> {
  const sides = Map.groupBy(rows, ({ release_id, fresh }) => `${release_id} ${fresh}`)
  const kept: ReleaseCustomerRow[] = []
  for (const side of sides.values()) {
    const [{ release_id, fresh }] = side as [ReleaseCustomerRow]
    const room = MAX_CUSTOMERS - (await countSide(tx, release_id, fresh))
    kept.push(...side.slice(0, Math.max(0, room)))
  }
  return kept
}
