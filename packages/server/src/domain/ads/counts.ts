/** Statistics of an ad system: counted while visitors pass, summed up for the owner. */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { listAdCheckpoints } from '../../store/tables/ad-checkpoints.ts'
import { type AdCountRow, insertAdCount, listAdCounts } from '../../store/tables/ad-counts.ts'
import type { AdSystemSubject } from '../../store/tables/subjects.ts'

/** Classes of durations: each is a twelfth of a doubling, so a median is right to 6 per cent. */
const CLASSES_PER_DOUBLING = 12
const ALL = 2 ** 31 - 1

export async function countRefusal(tx: Queries, checkpointId: string, reason: string): Promise<void> {
  await insertAdCount(tx, { checkpoint_id: checkpointId, kind: 'refused', value: reason })
}

export async function countDuration(tx: Queries, checkpointId: string, ms: number): Promise<void> {
  const value = String(Math.round(Math.log2(Math.max(1, ms)) * CLASSES_PER_DOUBLING))
  await insertAdCount(tx, { checkpoint_id: checkpointId, kind: 'duration', value })
}

export async function readAdStatistics({ db }: Pick<Deps, 'db'>, { system }: AdSystemSubject) {
  const checkpoints = await listAdCheckpoints(db.read, system.id, { from: 0, limit: ALL })
  const counts = await listAdCounts(db.read, system.id)
  const ofCheckpoint = (id: string, kind: AdCountRow['kind']) =>
    counts.filter((one) => one.checkpoint_id === id && one.kind === kind)
  return {
    total_keys: system.total_keys,
    total_completions: system.total_completions,
    checkpoints: checkpoints.map(({ id, index, name, total_started, total_completed }) => ({
      ...{ checkpoint_id: id, index, name, total_started, total_completed },
      median_duration: medianOf(ofCheckpoint(id, 'duration')),
      refused: ofCheckpoint(id, 'refused').map(({ value, count }) => ({ reason: value, count })),
    })),
  }
}

/** Milliseconds; null while nobody has completed the checkpoint. */
function medianOf(classes: readonly AdCountRow[]): number | null {
  const total = classes.reduce((sum, { count }) => sum + count, 0)
  let left = total / 2
  for (const { value, count } of [...classes].sort((a, b) => Number(a.value) - Number(b.value))) {
    left -= count
    if (left <= 0) return Math.round(2 ** (Number(value) / CLASSES_PER_DOUBLING))
  }
  return null
}
