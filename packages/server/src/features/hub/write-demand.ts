/** Writes this process's counts of requests from unsupported games. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { writeDemand } from './demand.ts'

const EVERY_MS = 5000

export function demandWriter(deps: Pick<Deps, 'db' | 'hubDemand'>): Worker {
  return {
    name: 'write-hub-demand',
    everyMs: EVERY_MS,
    run: async () => {
      await writeDemand(deps)
      return false
    },
  }
}
