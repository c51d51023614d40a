/** Writes which requests this process refused. */
import type { Deps } from '../deps.ts'
import { writeRefusedRequests } from '../domain/audit/refused-requests.ts'
import type { Worker } from './worker.ts'

const EVERY_MS = 5000

export function refusedRequestWriter(deps: Deps): Worker {
  return {
    name: 'write-refused-requests',
    everyMs: EVERY_MS,
    run: async () => {
      await writeRefusedRequests(deps)
      return false
    },
  }
}
