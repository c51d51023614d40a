/** Writes the server function counts of this process. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { writeFunctionCalls } from './calls.ts'

const EVERY_MS = 5000

export function functionCallWriter(deps: Deps): Worker {
  return {
    name: 'write-function-calls',
    everyMs: EVERY_MS,
    run: async () => {
      await writeFunctionCalls(deps)
      return false
    },
  }
}
