/**
 * Call and failure counts of server functions. They are kept in memory and written every few seconds, so a
 * crash loses the counts since the last write.
 */

import { HOUR_MS } from '../../api/periods.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { findScriptName } from '../scripts/store/scripts.ts'
import { addEvent } from '../webhooks/events/events.ts'
import { type CountedCalls, nameOf } from './call-counter.ts'
import { addCalls, updateReported } from './store.ts'

type Writing = Pick<Deps, 'db' | 'functionCalls' | 'now' | 'random' | 'secrets'>

/** Writes the counts collected since the last write, and notifies owners of failures. */
export async function writeFunctionCalls(deps: Writing): Promise<void> {
  const counts = deps.functionCalls.takeCounts()
  if (counts.length === 0) return
  // Locks rows in key order, so that two processes can't deadlock.
  const ordered = counts.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  try {
    await deps.db.transaction(async (tx) => {
      for (const one of ordered) await write(tx, deps, one)
    })
  } catch (error) {
    deps.functionCalls.returnCounts(counts)
    throw error
  }
}

async function write(tx: Queries, deps: Writing, counted: CountedCalls): Promise<void> {
  const { project_id, script_id, name, failure, failures } = counted
  await addCalls(tx, counted, counted, failure)
  const now = deps.now()
  if (!failure || !(await updateReported(tx, counted, { now, before: now - HOUR_MS }))) return
  const script = await findScriptName(tx, script_id)
  if (script === undefined) return
  const data = {
    script: { id: script_id, name: script },
    function: { name, problem: failure.problem },
    failures,
  }
  await addEvent(tx, deps, { type: 'function.failed', project_id, data })
}
