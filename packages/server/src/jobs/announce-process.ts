/** Announces this process to the others of the service, and notices which of them are gone. */
import type { Deps } from '../deps.ts'
import type { Worker } from './worker.ts'

const EVERY_MS = 1000

export function announceProcess({ sessions }: Deps): Worker {
  return {
    name: 'announce-process',
    everyMs: EVERY_MS,
    run: async () => {
      sessions.network.round()
      return false
    },
  }
}
