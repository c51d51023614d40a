/** Writes the denied requests that this process has counted. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { writeRefusedRequests } from './refused-requests.ts'

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
