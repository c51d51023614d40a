/** What the owner of a script is told of its executions: the granted ones, and as many denied ones as anybody can read. */
import type { Denial, Hello } from '@scriptward/client/messages'
import type { Deps } from '../deps.ts'
import type { Queries } from '../store/db.ts'
import type { RunnableRow } from '../store/executions.ts'
import type { Standing } from '../store/live-instances.ts'
import { maskDevice } from './device.ts'
import type { Attempt } from './execution-facts.ts'
import { addEvent, type EventUser, type ExecutionData, eventUser } from './webhooks/events.ts'

/** Who ran what from where; `exec` is null for an execution that was denied. */
export type Told = {
  readonly attempt: Attempt
  readonly script: RunnableRow
  readonly user: EventUser | null
  readonly address: string
  readonly executor: string
  readonly exec: string | null
}

/** In the transaction of the grant. */
export async function tellGrant(tx: Queries, deps: Deps, told: Told): Promise<void> {
  const { execution_webhook, project_id } = told.script
  if (execution_webhook === null) return
  await addEvent(tx, deps, { type: 'execution.granted', project_id, data: describe(told) })
}

/** In a transaction of its own, since a denial changes nothing. */
export async function tellDenial(deps: Deps, told: Told, { code, reason }: Denial): Promise<void> {
  const { execution_webhook, project_id } = told.script
  if (execution_webhook === null) return
  const left_out = deps.protocol.denials.take(project_id, told.attempt.now)
  if (left_out === undefined) return
  const data = { ...describe(told), denial: { code, reason }, left_out }
  await deps.db.transaction((tx) => addEvent(tx, deps, { type: 'execution.denied', project_id, data }))
}

/** In the transaction that ends the run. A script that is gone has nobody to tell. */
export async function tellCopied(tx: Queries, deps: Deps, standing: Standing): Promise<void> {
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

function userOf({ key, chat_id, note, executions, key_expires }: Standing): EventUser | null {
  return key === null ? null : { key, chat_id, note, executions: executions ?? 0, key_expires }
}

function describe({ attempt, script, user, address, executor, exec }: Told): ExecutionData {
  const { rt, game }: Hello = attempt.hello
  const { ip, fingerprint } = maskDevice(attempt.device, address, executor)
  return {
    script: { id: script.id, name: script.name, version: script.version },
    user: user && eventUser(user),
    execution: {
      id: exec,
      executor,
      runtime: rt,
      game_user_id: game?.game_user_id ?? null,
      place_id: game?.place_id ?? null,
      job_id: game?.job_id ?? null,
    },
    client: { ip, country: null, fingerprint },
  }
}
