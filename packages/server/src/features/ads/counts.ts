/** An ad system's statistics, which are counted as visitors progress and aggregated for the owner. */

import { DAY_MS, dayAt, type PeriodQuery, periodOf } from '../../api/periods.ts'
import { Refused } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { providerIds } from '../../platform/ad-providers/list.ts'
import type { ProviderId } from '../../platform/ad-providers/provider.ts'
import type { AdSystemSubject } from '../projects/store/subjects.ts'
import type { Refusal } from './notices.ts'
import { listAdCheckpoints } from './store/ad-checkpoints.ts'
import {
  type AdCountRow,
  insertAdCount,
  listAdCounts,
  updateCompletedAdCheckpoint,
  updateFinishedAdSystem,
  updateStartedAdCheckpoint,
} from './store/ad-counts.ts'
import {
  type AdCheckpointDay,
  addAdCheckpointDay,
  addAdSystemDay,
  listAdCheckpointDays,
  listAdSystemDays,
} from './store/ad-days.ts'

/** Histogram buckets for durations: 12 per doubling, so a median is accurate to 6%. */
const CLASSES_PER_DOUBLING = 12
const ALL = 2 ** 31 - 1

const NONE = { started: 0, completed: 0, refused: 0, bypassed: 0 }

/** Rejections of visitors who skipped the ads, or whose token was forged, reused or shared. */
const BYPASSES: ReadonlySet<string> = new Set<Refusal>(['too_fast', 'not_verified', 'other_address'])

export async function countStart(tx: Queries, checkpointId: string, now: number): Promise<void> {
  if (!(await updateStartedAdCheckpoint(tx, checkpointId))) return
  await addAdCheckpointDay(tx, { checkpoint_id: checkpointId, day: dayAt(now), ...NONE, started: 1 })
}

export async function countRefusal(
  tx: Queries,
  checkpointId: string,
  reason: Refusal,
  now: number,
): Promise<void> {
  if (!(await insertAdCount(tx, { checkpoint_id: checkpointId, kind: 'refused', value: reason }))) return
  await addAdCheckpointDay(tx, {
    ...{ checkpoint_id: checkpointId, day: dayAt(now), ...NONE, refused: 1 },
    bypassed: BYPASSES.has(reason) ? 1 : 0,
  })
}

/** `ms` is how long the step took. */
export async function countPass(
  tx: Queries,
  checkpointId: string,
  { now, ms }: { readonly now: number; readonly ms: number },
): Promise<void> {
  if (!(await updateCompletedAdCheckpoint(tx, checkpointId))) return
  const value = String(Math.round(Math.log2(Math.max(1, ms)) * CLASSES_PER_DOUBLING))
  await insertAdCount(tx, { checkpoint_id: checkpointId, kind: 'duration', value })
  await addAdCheckpointDay(tx, { checkpoint_id: checkpointId, day: dayAt(now), ...NONE, completed: 1 })
}

/** Counts a visitor who completed all steps. `keys` is 1 for a new key and 0 for an extension. */
export async function countFinish(
  tx: Queries,
  { id, keys, now }: { readonly id: string; readonly keys: 0 | 1; readonly now: number },
): Promise<void> {
  await updateFinishedAdSystem(tx, id, keys)
  await addAdSystemDay(tx, { system_id: id, day: dayAt(now), completions: 1, keys })
}

export async function readAdStatistics(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { system }: AdSystemSubject,
) {
  const rows = await listAdCheckpoints(db.read, system.id, { from: 0, limit: ALL })
  const counts = await listAdCounts(db.read, system.id)
  const ofCheckpoint = (id: string, kind: AdCountRow['kind']) =>
    counts.filter((one) => one.checkpoint_id === id && one.kind === kind)
  const checkpoints = rows.map(({ id, index, name, provider, ...row }) => {
    const { total_started, total_completed, value_per_thousand } = row
    const refused = ofCheckpoint(id, 'refused').map(({ value, count }) => ({ reason: value, count }))
    return {
      ...{ checkpoint_id: id, index, name, provider: provider as ProviderId, total_started, total_completed },
      median_duration: medianOf(ofCheckpoint(id, 'duration')),
      refused,
      bypassed: sumOf(refused.filter(({ reason }) => BYPASSES.has(reason)).map(({ count }) => count)),
      value: value_per_thousand === null ? null : Math.round((total_completed * value_per_thousand) / 1000),
    }
  })
  const providers = providerIds.flatMap((id) => totalsOf(config.adProviders[id].label, id, checkpoints))
  const { total_keys, total_completions } = system
  return { total_keys, total_completions, checkpoints, providers }
}

type Totals = {
  readonly provider: ProviderId
  readonly total_started: number
  readonly total_completed: number
  readonly bypassed: number
  readonly value: number | null
}

/** Returns an empty list for a provider without checkpoints. */
function totalsOf(name: string, provider: ProviderId, all: readonly Totals[]) {
  const own = all.filter((one) => one.provider === provider)
  if (own.length === 0) return []
  const valued = own.flatMap(({ value }) => (value === null ? [] : [value]))
  const completed = sumOf(own.map(({ total_completed }) => total_completed))
  const bypassed = sumOf(own.map((one) => one.bypassed))
  return [
    {
      ...{ provider, name, bypassed, total_completed: completed },
      total_started: sumOf(own.map(({ total_started }) => total_started)),
      bypass_share: bypassed === 0 ? 0 : bypassed / (completed + bypassed),
      value: valued.length === 0 ? null : sumOf(valued),
    },
  ]
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

type CheckpointDay = Omit<AdCheckpointDay, 'day'>
type ProviderDay = Omit<CheckpointDay, 'checkpoint_id'> & { readonly provider: ProviderId }
export type AdDay = {
  readonly at: number
  completions: number
  keys: number
  readonly checkpoints: CheckpointDay[]
  readonly providers: ProviderDay[]
}

/** Returns each UTC day, oldest first, with the checkpoints that had visitors. */
export async function readAdDays(
  deps: Pick<Deps, 'db' | 'now'>,
  { system }: AdSystemSubject,
  query: Pick<PeriodQuery, 'from' | 'to'>,
): Promise<AdDay[] | Refused<'invalid_request'>> {
  const period = periodOf({ ...query, step: 'day' }, deps.now())
  if (period instanceof Refused) return period
  const range = { first: dayAt(period.from), last: dayAt(period.to - 1) }
  const days = new Map<number, AdDay>()
  for (let day = range.first; day <= range.last; day++)
    days.set(day, { at: day * DAY_MS, completions: 0, keys: 0, checkpoints: [], providers: [] })
  for (const { day, completions, keys } of await listAdSystemDays(deps.db.read, system.id, range))
    Object.assign(days.get(day) ?? {}, { completions, keys })
  for (const { day, provider, ...counts } of await listAdCheckpointDays(deps.db.read, system.id, range)) {
    days.get(day)?.checkpoints.push(counts)
    addTo(days.get(day)?.providers ?? [], provider as ProviderId, counts)
  }
  return [...days.values()]
}

function addTo(providers: ProviderDay[], provider: ProviderId, counts: Omit<ProviderDay, 'provider'>): void {
  const before = providers.find((one) => one.provider === provider) ?? NONE
  const { started, completed, refused, bypassed } = counts
  const sum = {
    started: before.started + started,
    completed: before.completed + completed,
    refused: before.refused + refused,
    bypassed: before.bypassed + bypassed,
  }
  const others = providers.filter((one) => one.provider !== provider)
  providers.splice(0, providers.length, ...others, { provider, ...sum })
}

/** Median duration in milliseconds. Null if nobody has completed the checkpoint. */
function medianOf(classes: readonly AdCountRow[]): number | null {
  const total = classes.reduce((sum, { count }) => sum + count, 0)
  let left = total / 2
  for (const { value, count } of [...classes].sort((a, b) => Number(a.value) - Number(b.value))) {
    left -= count
    if (left <= 0) return Math.round(2 ** (Number(value) / CLASSES_PER_DOUBLING))
  }
  return null
}
