/**
 * Notifies a script's owner that a run was copied, or that a run requested keys in a way that no official
 * loader does.
 */

import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { EventData } from '../webhooks/events/event-catalog.ts'
import type { EventUser, RunData } from '../webhooks/events/event-shapes.ts'
import { addEvent } from '../webhooks/events/events.ts'
import type { InstanceState } from './store/live-instances.ts'

/** Reports that two clients continued the run. Must be called in the transaction that ends the run. */
export async function reportCopiedRun(tx: Queries, deps: Deps, instance: InstanceState): Promise<void> {
  const data = describeRun(instance)
  if (data) await addEvent(tx, deps, { type: 'execution.copied', project_id: instance.project_id, data })
}

export type Suspicion = EventData['execution.suspected']['suspicion']

/** Must be called in the transaction of the suspicious heartbeat. */
export async function reportSuspectedRun(
  tx: Queries,
  deps: Deps,
  instance: InstanceState,
  suspicion: Suspicion,
): Promise<void> {
  const run = describeRun(instance)
  if (!run) return
  const data = { ...run, suspicion }
  await addEvent(tx, deps, { type: 'execution.suspected', project_id: instance.project_id, data })
}

/** Returns null if the script was removed, because there is no owner left to notify. */
function describeRun(instance: InstanceState): RunData | null {
  const { script_id, script_name, script_version: version } = instance
  if (script_name === null) return null
  const { exec: id, executor, runtime, game_user_id, place_id, job_id } = instance
  return {
    script: { id: script_id, name: script_name, version },
    user: userOf(instance),
    execution: { id, executor, runtime, game_user_id, place_id, job_id },
  }
}

function userOf({ key, chat_id, note, executions, key_expires }: InstanceState): EventUser | null {
  return key === null ? null : { key, chat_id, note, executions: executions ?? 0, key_expires }
}
