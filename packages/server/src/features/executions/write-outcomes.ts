/** Writes this process's counts of executions and denials. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { writeOutcomes } from './outcomes.ts'

const EVERY_MS = 5000

export function outcomeWriter(deps: Pick<Deps, 'db' | 'outcomes'>): Worker {
  return {
    name: 'write-outcomes',
    everyMs: EVERY_MS,
    run: async () => {
      await writeOutcomes(deps)
      return false
    },
  }
}
