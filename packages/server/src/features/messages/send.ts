/**
 * Sends the messages of a heartbeat (client protocol, Messages). Each message is validated, filled in and
 * added to the outbox in the heartbeat's transaction, so that a resent heartbeat doesn't send anything twice.
 * Dropped messages are counted.
 */
import type { BeatMessage } from '@scriptward/client/live-messages'
import { newId } from '../../api/ids.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Template } from '../../protocol/payload-cache.ts'
import { loadPayload } from '../builds/payloads.ts'
import type { InstanceState } from '../sessions/store/live-instances.ts'
import { MESSAGE_TYPE } from '../webhooks/events/events.ts'
import { insertMessageEvent } from '../webhooks/store/outbox.ts'
import { renderMessage } from './render.ts'
import { addMessageCount, type MessageOutcome } from './store.ts'

/** The result for each message of a heartbeat. */
export type MessagePlan = {
  readonly sends: readonly { readonly template: Template; readonly number: number; readonly body: object }[]
  readonly dropped: readonly MessageOutcome[]
}

/**
 * Returns undefined if the script was removed. Counts the messages against the limits of the run and of its
 * script.
 */
export async function planMessages(
  deps: Deps,
  instance: InstanceState,
  messages: readonly BeatMessage[],
): Promise<MessagePlan | undefined> {
  const { script_id: id, script_version: version, script_name } = instance
  const payload = script_name === null ? undefined : await loadPayload(deps, { id, version })
  if (!payload) return undefined
  const sends: MessagePlan['sends'][number][] = []
  const dropped: MessageOutcome[] = []
  for (const [number, ...values] of messages) {
    const template = payload.messages[number - 1]
    const rendered = template && renderMessage(template, values, instance)
    if (!rendered) dropped.push('wrong_value')
    else if ('dropped' in rendered) dropped.push(rendered.dropped)
    else if (!(await mayBeSent(deps, instance))) dropped.push('rate_limited')
    else sends.push({ template, number, body: rendered.body as object })
  }
  return { sends, dropped }
}

/** A rate-limited run doesn't use up the limit that it shares with other runs of its script. */
async function mayBeSent({ limits, now }: Deps, { exec, script_id }: InstanceState): Promise<boolean> {
  if ((await limits.attempts.takeAttempt('runMessages', exec, now())) > 0) return false
  return (await limits.attempts.takeAttempt('scriptMessages', script_id, now())) === 0
}

/** Runs in the heartbeat's transaction. */
export async function sendMessages(
  tx: Queries,
  deps: Deps,
  instance: InstanceState,
  { sends, dropped }: MessagePlan,
): Promise<void> {
  const outcomes = [...dropped]
  for (const { template, number, body } of sends) {
    const at = deps.now()
    const id = newId('evt', at, deps.random)
    const { script_id, script_name: name, script_version: version } = instance
    const data = { script: { id: script_id, name, version }, number, message: body }
    const isTaken = await insertMessageEvent(tx, {
      id,
      project_id: instance.project_id,
      kind: template.webhook,
      type: MESSAGE_TYPE,
      data: deps.secrets.sealText('event', id, JSON.stringify(data)),
      created_at: at,
      script_id,
    })
    outcomes.push(isTaken ? 'sent' : 'no_address')
  }
  for (const [outcome, same] of Map.groupBy(outcomes, (one) => one))
    await addMessageCount(tx, instance.script_id, { outcome, count: same.length, at: deps.now() })
}
