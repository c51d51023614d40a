/**
 * Answers the server function calls that a run makes with a heartbeat or over its session (client protocol,
 * Calls).
 */
import type { BeatAnswer, BeatAsk } from '@scriptward/client/live-messages'
import { DEFAULT_CALLS_PER_MINUTE } from '@scriptward/client/messages'
import type { Deps } from '../../deps.ts'
import type { Session } from '../../protocol/sessions/session.ts'
import { type AskRun, answerAsks, UNAVAILABLE } from '../functions/ask.ts'
import { callsPerMinute } from '../functions/call-rate.ts'
import { runStatus } from '../key-validity/clocks.ts'
import { featuresOf } from '../key-validity/terms.ts'
import { stopReason } from './instances.ts'
import { updateKicked } from './store/instances.ts'
import { findInstanceState, type InstanceState } from './store/live-instances.ts'
import { sentLabels } from './user-attributes.ts'

/** Answers the calls in order. Must be called outside a transaction, because functions may take a while. */
export async function answerBeatAsks(
  deps: Deps,
  instance: InstanceState,
  asks: readonly BeatAsk[],
): Promise<readonly BeatAnswer[]> {
  const run = describeRun(instance, deps.now())
  // There is no run if the script was removed. The response to the heartbeat reports this too.
  if (!run) return []
  const calls = asks.map(([name, ...values]) => ({ name, values }))
  return answerAsks(deps, run, calls)
}

/** Answers a call that arrived over a session, or ends the session if the run must stop. Never rejects. */
export async function answerSessionCall(
  deps: Deps,
  session: Session,
  ask: BeatAsk,
): Promise<BeatAnswer | undefined> {
  try {
    return await answerIfHeld(deps, session, ask)
  } catch (error) {
    deps.log.warn({ error: error instanceof Error ? error.message : String(error) }, 'a call failed')
    return UNAVAILABLE
  }
}

async function answerIfHeld(
  deps: Deps,
  { id, exec }: Session,
  ask: BeatAsk,
): Promise<BeatAnswer | undefined> {
  const instance = await findInstanceState(deps.db.readPoint, exec)
  const reason = instance ? await stopReason(deps, instance, { isHeld: true }) : 'disconnected'
  if (!instance || reason) {
    if (reason) await deps.db.transaction((tx) => updateKicked(tx, [exec], reason))
    deps.sessions.hub.disconnect(id, reason)
    return undefined
  }
  const [answer] = await answerBeatAsks(deps, instance, [ask])
  return answer
}

/** Returns how many calls per minute the service tier allows for the run. */
export function callsOf({ max_calls }: Pick<InstanceState, 'max_calls'>): number {
  return callsPerMinute(max_calls ?? DEFAULT_CALLS_PER_MINUTE)
}

/** Returns the current values that the script can read from `ward` in this run. */
function describeRun(instance: InstanceState, now: number): AskRun | undefined {
  const { customer_id, project_id, script_id, exec, user_key, key_expires, plan_name } = instance
  if (customer_id === null) return undefined
  const { tags = [], metadata = null } = sentLabels(instance)
  const { chat_id, note, executor, script_version, address } = instance
  return {
    ...{ customer_id, project_id, script_id, exec, user_key },
    caller: `${project_id} ${user_key ?? address ?? exec}`,
    calls_per_minute: callsOf(instance),
    facts: {
      ...{ plan: plan_name, chat_id, note, executor, tags, metadata },
      features: featuresOf(instance.features, instance.plan_features),
      status: user_key === null ? null : runStatus(key_expires, instance.grace, now),
      expiry: key_expires,
      version: script_version,
    },
  }
}
