/** Announces expiring and expired keys to webhooks. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { type EndEvent, listDueWatches } from '../key-validity/store/expiry-cursors.ts'
import { announceNextEnds, updateWatches } from './expiry-events.ts'

const EVERY_MS = 15_000
const PROJECT_BATCH_SIZE = 100
const TYPES = ['user.expiring', 'user.expired'] as const satisfies readonly EndEvent[]

type Announcing = Pick<Deps, 'db' | 'random' | 'secrets'>

/**
 * Any number of processes may run this at the same time. Each transaction locks a project's watch, announces
 * one batch and advances the watch. After a long downtime, all missed expiries are announced. If an endpoint
 * has too many pending events, the delivery queue drops the oldest.
 */
export function announceEnds(deps: Announcing, clock: () => number): Worker {
  return {
    name: 'announce-ends',
    everyMs: EVERY_MS,
    async run(signal) {
      const now = clock()
      let hasMore = false
      for (const type of TYPES) if (await announce({ ...deps, now: () => now }, type, signal)) hasMore = true
      return hasMore
    },
  }
}

async function announce(
  deps: Announcing & Pick<Deps, 'now'>,
  type: EndEvent,
  signal: AbortSignal,
): Promise<boolean> {
  const hasMoreWatches = await updateWatches(deps, type, PROJECT_BATCH_SIZE)
  const due = await listDueWatches(deps.db.read, type, { now: deps.now(), limit: PROJECT_BATCH_SIZE })
  // Projects take turns, so that a large project doesn't delay the others.
  let going = due
  while (going.length > 0) {
    if (signal.aborted) return true
    const after: string[] = []
    for (const id of going) if (await announceNextEnds(deps, type, id)) after.push(id)
    going = after
  }
  return hasMoreWatches || due.length === PROJECT_BATCH_SIZE
}
