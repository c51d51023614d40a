/** Shows the other processes of the service that this one lives, and ends the sessions of those that are dead. */
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
