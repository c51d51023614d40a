/** Deletes traces older than the run log retention period of their account's service tier. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { findLogDays } from '../accounts/store/tiers.ts'
import { DEFAULT_LOG_DAYS } from '../accounts/tiers.ts'
import { deleteOldTraces, findNextTracedProject } from './store/traces.ts'

const DAY_MS = 86_400_000
/** -1 means no limit, as for all limits of a tier. */
const FOREVER = -1
const EVERY_MS = 600_000

export function pruneTraces({ db }: Pick<Deps, 'db'>, clock: () => number): Worker {
  return {
    name: 'prune-traces',
    everyMs: EVERY_MS,
    async run(signal) {
      for (let after = ''; !signal.aborted; ) {
        const project = await findNextTracedProject(db.read, after)
        if (project === undefined) return false
        const days = (await findLogDays(db.read, project)) ?? DEFAULT_LOG_DAYS
        const before = clock() - days * DAY_MS
        if (days !== FOREVER) await db.transaction((tx) => deleteOldTraces(tx, project, before))
        after = project
      }
      return false
    },
  }
}
