/**
 * Records in the log how runs ended, and deletes their rows in `instances` once they can no longer resume.
 */
import type { Deps } from '../../../deps.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { endingOf } from '../../health/ending.ts'
import { deleteInstances, ENDED_RETENTION_MS, listEndedInstances } from '../../sessions/store/instances.ts'
import { updateLogEnding } from '../store/execution-log.ts'

const EVERY_MS = 5000
/** Limits how long a transaction blocks SQLite's writer. */
const BATCH_SIZE = 200

export function settleRuns({ db }: Pick<Deps, 'db'>, clock: () => number): Worker {
  return {
    name: 'settle-runs',
    everyMs: EVERY_MS,
    async run() {
      const settled = await db.transaction(async (tx) => {
        const ended = await listEndedInstances(tx, clock() - ENDED_RETENTION_MS, BATCH_SIZE)
        for (const run of ended) await updateLogEnding(tx, run, endingOf(run), run.last_seen)
        await deleteInstances(
          tx,
          ended.map(({ seq }) => seq),
        )
        return ended.length
      })
      return settled === BATCH_SIZE
    },
  }
}
