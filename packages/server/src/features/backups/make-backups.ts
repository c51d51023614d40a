/** Makes backups as often as configured. Any number of processes may try; only one makes the backup. */

import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { BackupStopped } from './archive/backup-worker.ts'
import { makeDueBackup } from './backups.ts'

/** Maximum delay of a due backup. */
const LOOK_MS = 60_000
/** The cause of a failed backup, such as a full disk, rarely ends within seconds. */
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
