/** Tells the owner of a script that a running copy of it was found: two clients continued one instance. */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import type { InstanceState } from '../../store/tables/live-instances.ts'
import { addEvent, type EventUser } from '../webhooks/events.ts'

/** In the transaction that ends the run. A script that was removed has no owner left to notify. */
export async function reportCopiedRun(tx: Queries, deps: Deps, standing: InstanceState): Promise<void> {
  const { script_id, script_name, script_version: version, project_id } = standing
  if (script_name === null) return
  const { exec: id, executor, runtime, game_user_id, place_id, job_id } = standing
  const data = {
    script: { id: script_id, name: script_name, version },
    user: userOf(standing),
    execution: { id, executor, runtime, game_user_id, place_id, job_id },
  }
  await addEvent(tx, deps, { type: 'execution.copied', project_id, data })
}

function userOf({ key, chat_id, note, executions, key_expires }: InstanceState): EventUser | null {
  return key === null ? null : { key, chat_id, note, executions: executions ?? 0, key_expires }
}
