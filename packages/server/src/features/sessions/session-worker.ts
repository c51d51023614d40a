/**
 * Reconciles this process's live sessions with the database. Runs in every process, even if jobs are
 * turned off there.
 */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { reconcileSessions } from './reconcile.ts'

/** Maximum delay of a ping, and of detecting an expired key. */
const EVERY_MS = 1000

export function sessionWorker(deps: Deps): Worker {
  return {
    name: 'reconcile-sessions',
    everyMs: EVERY_MS,
    longestRetryMs: EVERY_MS,
    run: async () => {
      await reconcileSessions(deps)
      return false
    },
  }
}
