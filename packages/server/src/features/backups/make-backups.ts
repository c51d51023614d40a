/**
 * Makes backups at the configured interval. Any number of processes may try, but only one makes each backup.
 */

import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { BackupStopped } from './archive/backup-worker.ts'
import { makeDueBackup } from './backups.ts'

/** Interval at which the job checks whether a backup is due. */
const LOOK_MS = 60_000
/** The causes of failed backups, such as a full disk, rarely disappear within seconds. */
const MAX_RETRY_MS = 600_000

export function makeBackups(deps: Deps, everyMs: number): Worker {
  return {
    name: 'make-backups',
    everyMs: LOOK_MS,
    longestRetryMs: MAX_RETRY_MS,
    run: async () => {
      await makeDueBackup(deps, everyMs).catch((error: unknown) => {
        if (!(error instanceof BackupStopped)) throw error
      })
      return false
    },
  }
}
