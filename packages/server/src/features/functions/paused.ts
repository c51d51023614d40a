/**
 * Pauses callers whose calls had to be stopped, because every stop kills a process that other accounts need
 * too. A function is first paused only for the customer whose calls were stopped, so that no customer can
 * disable it for the others. If calls of several customers are stopped, it is paused for everyone. After a
 * few more stops, all of the account's functions are. An author who tests or replaces functions is paused
 * after two stops.
 */
import type { Deps } from '../../deps.ts'
import type { Limit } from '../../platform/limits/rules.ts'
import type { CallOutcome } from './sandbox/sandbox.ts'

type Caller = {
  readonly customer_id: string
  /** Null if the author is testing or replacing a function. */
  readonly called: {
    readonly functionName: string
    /** Identifies the script's customer who makes the call. */
    readonly by: string
  } | null
}

/** Returns the outcome of `call`, or how many milliseconds the caller has to wait. */
export async function callUnlessPaused(
  deps: Pick<Deps, 'limits' | 'now' | 'pausedCalls'>,
  caller: Caller,
  call: () => Promise<CallOutcome>,
): Promise<CallOutcome | { readonly kind: 'paused'; readonly waitMs: number }> {
  const levels = levelsOf(caller)
  const names = levels.flat().map(([, name]) => name)
  const waitMs = Math.max(...names.map((name) => deps.pausedCalls.pauseOf(name, deps.now())))
  if (waitMs > 0) return { kind: 'paused', waitMs }
  const outcome = await call()
  if (outcome.kind === 'exhausted') for (const level of levels) await countStop(deps, level)
  return outcome
}

type Counted = readonly [limit: Limit, name: string]

/**
 * Within a level, a later limit counts a stop only if the earlier ones allow it. A customer's own limits are
 * at most as high as those that all customers share.
 */
function levelsOf({ customer_id, called }: Caller): readonly (readonly Counted[])[] {
  const account: Counted = ['stoppedAccount', `account ${customer_id}`]
  if (called === null) return [[['stoppedTrials', `trials of ${customer_id}`]], [account]]
  const { functionName, by } = called
  return [
    [
      ['stoppedByCustomer', `function ${functionName} by ${by}`],
      ['stoppedFunction', `function ${functionName}`],
    ],
    [['stoppedAllByCustomer', `account ${customer_id} by ${by}`], account],
  ]
}

async function countStop(
  { limits, now, pausedCalls }: Pick<Deps, 'limits' | 'now' | 'pausedCalls'>,
  level: readonly Counted[],
): Promise<void> {
  const at = now()
  for (const [limit, name] of level) {
    const waitMs = await limits.attempts.takeAttempt(limit, name, at)
    if (waitMs > 0) return pausedCalls.pause(name, at + waitMs)
  }
}
