/** Looks after the live sessions of this process; it runs wherever sessions are held, also where no other job does. */
import type { Deps } from '../deps.ts'
import { tendSessions } from '../domain/tend-sessions.ts'
import type { Worker } from './worker.ts'

/** An expired key is noticed and a ping sent this late at most. */
const EVERY_MS = 1000

export function sessionWorker(deps: Deps): Worker {
  return {
    name: 'tend-sessions',
    everyMs: EVERY_MS,
    run: async () => {
      await tendSessions(deps)
      return false
    },
  }
}
