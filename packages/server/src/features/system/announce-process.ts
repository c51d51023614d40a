/** Announces to other processes that this process is alive, and ends the sessions of dead processes. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'

const EVERY_MS = 1000

export function announceProcess({ sessions, now }: Deps): Worker {
  return {
    name: 'announce-process',
    everyMs: EVERY_MS,
    longestRetryMs: EVERY_MS,
    run: async () => {
      await sessions.network.round(now())
      return false
    },
  }
}
