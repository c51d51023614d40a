/** Says to the other processes of this service that this one is there, and notices which of them are not any more. */
import type { Deps } from '../deps.ts'
import type { Worker } from './worker.ts'

const EVERY_MS = 1000

export function processWorker({ protocol }: Deps): Worker {
  return {
    name: 'meet-processes',
    everyMs: EVERY_MS,
    run: async () => {
      protocol.network.round()
      return false
    },
  }
}
