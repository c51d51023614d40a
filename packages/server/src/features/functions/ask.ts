/** Answers what running scripts ask server functions (`ward.ask`). */
import type { Deps } from '../../deps.ts'
import { nameSubject } from '../audit/subject.ts'
import { type FunctionId, nameOf } from './call-counter.ts'
import { callUnlessPaused } from './paused.ts'
import { CALL_MB, CALL_MS } from './sandbox/limits.ts'
import type { CallOutcome } from './sandbox/sandbox.ts'
import { openFunction } from './source.ts'
import { findFunction } from './store.ts'
import { findUnfitValues } from './values.ts'

/** What a script asks: the name of a function and JSON values. */
export type Ask = { readonly name: string; readonly values: readonly unknown[] }
/** A user may read `problem`, so it says nothing of what is in the function. */
export type AskAnswer = { readonly value: unknown } | { readonly problem: string }

/** What a function may know of the run that asks. Times are in milliseconds since 1970. */
export type AskFacts = {
  readonly plan: string | null
  readonly features: object
  readonly tags: readonly string[]
  /** Any JSON value. */
  readonly metadata: unknown
  /** Null for a guest. */
  readonly status: string | null
  /** Null for never. */
  readonly expiry: number | null
  readonly chat_id: string | null
  readonly note: string | null
  readonly executor: string
  /** Of the script. */
  readonly version: number
}

export type AskRun = {
  readonly customer_id: string
  readonly project_id: string
  readonly script_id: string
  /** Of the execution, by which its asks are limited. */
  readonly exec: string
  /** Null for a guest. A function gets a name that is made of it, never the key. */
  readonly user_key: string | null
  readonly facts: AskFacts
}

/** One answer for each, in order; never rejects. The caller has seen that the run is granted and live. */
export async function answerAsks(
  deps: Deps,
  run: AskRun,
  asks: readonly Ask[],
): Promise<readonly AskAnswer[]> {
  // Together, so that they wait for their turns once, and the client is answered before it gives up.
  return Promise.all(asks.map((ask) => answerSafely(deps, run, ask)))
}

function answerSafely(deps: Deps, run: AskRun, ask: Ask): Promise<AskAnswer> {
  return answer(deps, run, ask).catch((error: unknown) => {
    deps.log.warn({ error: error instanceof Error ? error.message : String(error) }, 'an ask failed')
    return UNAVAILABLE
  })
}

/** The facts as a function gets them. */
export function factsFor(
  { secrets }: Pick<Deps, 'secrets'>,
  { customer_id, user_key, facts }: Pick<AskRun, 'customer_id' | 'user_key' | 'facts'>,
): object {
  return { ...facts, user: user_key === null ? null : nameSubject(secrets, customer_id, user_key) }
}

const UNAVAILABLE: AskAnswer = { problem: 'the server is unavailable; try again later' }

async function answer(deps: Deps, run: AskRun, { name, values }: Ask): Promise<AskAnswer> {
  const waitMs = await deps.limits.attempts.takeAttempt('asks', run.exec, deps.now())
  if (waitMs > 0) return { problem: `too many calls; try again in ${secondsOf(waitMs)} s` }
  const unfit = findUnfitValues(values)
  if (unfit !== undefined) return { problem: `the arguments ${unfit}` }
  const { project_id, script_id, customer_id: owner } = run
  const id = { project_id, script_id, name }
  const row = await findFunction(deps.db.readPoint, script_id, name)
  if (!row) return { problem: 'the script has no function with this name' }
  const source = openFunction(deps, row)
  const functionName = nameOf(id)
  const outcome = await callUnlessPaused(deps, { customer_id: owner, functionName }, () =>
    deps.sandbox.callFunction({ owner, name, source, values, run: factsFor(deps, run) }),
  )
  if (outcome.kind === 'paused')
    return { problem: `the function failed too often; try again in ${secondsOf(outcome.waitMs)} s` }
  countCall(deps, id, outcome)
  return answerOf(outcome)
}

function secondsOf(ms: number): number {
  return Math.ceil(ms / 1000)
}

function countCall({ functionCalls, now }: Deps, id: FunctionId, outcome: CallOutcome): void {
  if (outcome.kind === 'busy') return
  functionCalls.countCall(id, outcome.kind === 'value' ? null : { problem: outcome.problem, at: now() })
}

function answerOf(outcome: CallOutcome): AskAnswer {
  if (outcome.kind === 'value') return { value: outcome.value }
  if (outcome.kind === 'busy') return UNAVAILABLE
  if (outcome.kind === 'exhausted')
    return { problem: `the function exceeded ${CALL_MS} ms or ${CALL_MB} MiB` }
  return { problem: 'the function failed' }
}
