/** Answers the server function calls that a run makes with a heartbeat (client protocol, Asks). */
import type { BeatAnswer, BeatAsk } from '@scriptward/client/live-messages'
import type { Deps } from '../../deps.ts'
import { type AskRun, answerAsks } from '../functions/ask.ts'
import { runStatus } from '../key-validity/clocks.ts'
import { featuresOf } from '../key-validity/terms.ts'
import type { InstanceState } from './store/live-instances.ts'
import { sentLabels } from './user-attributes.ts'

/** Answers the calls in their order. Call this outside a transaction, because functions take time. */
export async function answerBeatAsks(
  deps: Deps,
  instance: InstanceState,
  asks: readonly BeatAsk[],
): Promise<readonly BeatAnswer[]> {
  const run = describeRun(instance, deps.now())
  // The script was removed, which the answer to the heartbeat itself reports.
  if (!run) return []
  const calls = asks.map(([name, ...values]) => ({ name, values }))
  return answerAsks(deps, run, calls)
}

/** The current values that the script could read from `ward` in this run. */
function describeRun(instance: InstanceState, now: number): AskRun | undefined {
  const { customer_id, project_id, script_id, exec, user_key, key_expires, plan_name } = instance
  if (customer_id === null) return undefined
  const { tags = [], metadata = null } = sentLabels(instance)
  const { chat_id, note, executor, script_version } = instance
  return {
    ...{ customer_id, project_id, script_id, exec, user_key },
    facts: {
      ...{ plan: plan_name, chat_id, note, executor, tags, metadata },
      features: featuresOf(instance.features, instance.plan_features),
      status: user_key === null ? null : runStatus(key_expires, instance.grace, now),
      expiry: key_expires,
      version: script_version,
    },
  }
}
