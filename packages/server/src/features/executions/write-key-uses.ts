import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { reportSimultaneousRuns, writeKeyUses } from './denials/sharing.ts'

const EVERY_MS = 5000

export function keyUseWriter(deps: Deps): Worker {
  return {
    name: 'write-key-uses',
    everyMs: EVERY_MS,
    run: async () => {
      await writeKeyUses(deps)
      await reportSimultaneousRuns(deps)
      return false
    },
  }
}
