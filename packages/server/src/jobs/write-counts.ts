/**
 * Writes what requests count in memory: every few seconds in every process, and once more at shutdown.
 */
import type { Deps } from '../deps.ts'
import { writeRefusedRequests } from '../features/audit/refused-requests.ts'
import { reportSimultaneousRuns, writeKeyUses } from '../features/executions/denials/sharing.ts'
import { writeOutcomes } from '../features/executions/outcomes.ts'
import { writeFunctionCalls } from '../features/functions/calls.ts'
import { writeDemand } from '../features/hub/demand.ts'
import type { Pace, Worker } from './worker.ts'

const EVERY_MS = 5000

const WRITES: Readonly<Record<string, (deps: Deps) => Promise<void>>> = {
  'write-outcomes': writeOutcomes,
  'write-function-calls': writeFunctionCalls,
  'write-hub-demand': writeDemand,
  'write-key-uses': async (deps) => {
    await writeKeyUses(deps)
    await reportSimultaneousRuns(deps)
  },
  'write-refused-requests': writeRefusedRequests,
}

export function countWriters(deps: Deps): Worker[] {
  return Object.entries(WRITES).map(([name, write]) => ({
    name,
    everyMs: EVERY_MS,
    run: () => write(deps).then(() => false),
  }))
}

/** Writes the last counts. A write that fails doesn't prevent the others. */
export async function writeLastCounts(deps: Deps, failed: Pace['failed']): Promise<void> {
  for (const [name, write] of Object.entries(WRITES))
    await write(deps).catch((error: unknown) => failed(name, error))
}
