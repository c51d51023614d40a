/**
 * Pauses callers whose calls had to be stopped, because every stop kills a process that other accounts need
 * too. A function is paused after two stops in a minute, an account after a few more, and an author who tests
 * or replaces functions after two stops.
 */
import type { Deps } from '../../deps.ts'
import type { Limit } from '../../platform/limits/rules.ts'
import type { CallOutcome } from './sandbox/sandbox.ts'

type Caller = {
  readonly customer_id: string
  /** Null if the author is testing or replacing a function. */
  readonly functionName: string | null
}

/** Returns the outcome of `call`, or how many milliseconds the caller has to wait. */
export async function callUnlessPaused(
  deps: Pick<Deps, 'limits' | 'now' | 'pausedCalls'>,
  caller: Caller,
  call: () => Promise<CallOutcome>,
): Promise<CallOutcome | { readonly kind: 'paused'; readonly waitMs: number }> {
  const names = namesOf(caller)
  const waitMs = Math.max(...names.map(([, name]) => deps.pausedCalls.pauseOf(name, deps.now())))
  if (waitMs > 0) return { kind: 'paused', waitMs }
  const outcome = await call()
  if (outcome.kind === 'exhausted') for (const one of names) await countStop(deps, one)
  return outcome
}

type Counted = readonly [limit: Limit, name: string]

function namesOf({ customer_id, functionName }: Caller): readonly Counted[] {
  const own: Counted =
    functionName === null
      ? ['stoppedTrials', `trials of ${customer_id}`]
      : ['stoppedFunction', `function ${functionName}`]
  return [own, ['stoppedAccount', `account ${customer_id}`]]
}

async function countStop(
  { limits, now, pausedCalls }: Pick<Deps, 'limits' | 'now' | 'pausedCalls'>,
  [limit, name]: Counted,
): Promise<void> {
  const at = now()
  const waitMs = await limits.attempts.takeAttempt(limit, name, at)
  if (waitMs > 0) pausedCalls.pause(name, at + waitMs)
}
