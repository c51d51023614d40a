/** Answers server function calls (`ward.ask`) from running scripts. */
import { DEFAULT_CALLS_PER_MINUTE } from '@scriptward/client/messages'
import type { Deps } from '../../deps.ts'
import { nameSubject } from '../audit/subject.ts'
import { type FunctionId, nameOf } from './call-counter.ts'
import { mapLines, openServerCode, readEntry } from './moved-code.ts'
import { callUnlessPaused } from './paused.ts'
import { CALL_MB, CALL_MS } from './sandbox/limits.ts'
import type { CallOutcome, FunctionCall } from './sandbox/sandbox.ts'
import { openFunction } from './source.ts'
import { type FunctionRow, findFunction, findServerCode } from './store.ts'
import { findUnfitValues } from './values.ts'

/**
 * A call made by a script, with its arguments as JSON. `name` is the name of a server function, or the
 * number of a function or table that the build moved to the server.
 */
export type Ask = { readonly name: string | number; readonly values: readonly unknown[] }
/** `problem` may be shown to a user, so it must not reveal anything from the function's source. */
export type AskAnswer = { readonly value: unknown } | { readonly problem: string }

/** Data about the calling run that a function receives. Times are in milliseconds since 1970. */
export type AskFacts = {
  readonly plan: string | null
  readonly features: object
  readonly tags: readonly string[]
  /** Any JSON value. */
  readonly metadata: unknown
  /** Null for a guest. */
  readonly status: string | null
  /** Null if the key never expires. */
  readonly expiry: number | null
  readonly chat_id: string | null
  readonly note: string | null
  readonly executor: string
  readonly version: number
}

export type AskRun = {
  readonly customer_id: string
  readonly project_id: string
  readonly script_id: string
  /** Execution ID, used to rate-limit the calls of one run. */
  readonly exec: string
  readonly calls_per_minute: number
  /**
   * The user's key. Null for a guest. Functions receive a pseudonym derived from the key, never the key
   * itself.
   */
  readonly user_key: string | null
  /** Identifies the customer: by the key, or a guest by the network. */
  readonly caller: string
  readonly facts: AskFacts
}

/**
 * Returns one answer per call, in order, and never rejects. The caller must have checked that the run is
 * granted and live.
 */
export async function answerAsks(
  deps: Deps,
  run: AskRun,
  asks: readonly Ask[],
): Promise<readonly AskAnswer[]> {
  // Runs the calls in parallel. Queuing all of them immediately lets the client get its response before it
  // times out.
  return Promise.all(asks.map((ask) => answerSafely(deps, run, ask)))
}

function answerSafely(deps: Deps, run: AskRun, ask: Ask): Promise<AskAnswer> {
  return answer(deps, run, ask).catch((error: unknown) => {
    deps.log.warn({ error: error instanceof Error ? error.message : String(error) }, 'an ask failed')
    return UNAVAILABLE
  })
}

/** Converts the run's data to the form that functions receive. */
export function factsFor(
  { secrets }: Pick<Deps, 'secrets'>,
  { customer_id, user_key, facts }: Pick<AskRun, 'customer_id' | 'user_key' | 'facts'>,
): object {
  return { ...facts, user: user_key === null ? null : nameSubject(secrets, customer_id, user_key) }
}

/** Converts the run's data to the form in which moved code reads it from `ward`. */
function wardFor(deps: Deps, run: AskRun): object {
  const { version, expiry, status } = run.facts
  return {
    ...factsFor(deps, run),
    is_premium: run.user_key !== null,
    in_grace: status === 'grace',
    script_version: version,
    seconds_left: expiry === null ? null : Math.max(0, Math.ceil((expiry - deps.now()) / 1000)),
  }
}

export const UNAVAILABLE: AskAnswer = { problem: 'the server is unavailable; try again later' }

const NOT_INCLUDED: AskAnswer = { problem: "the service tier of the script's account includes no calls" }

async function answer(deps: Deps, run: AskRun, { name, values }: Ask): Promise<AskAnswer> {
  const share = run.calls_per_minute / DEFAULT_CALLS_PER_MINUTE
  if (share === 0) return NOT_INCLUDED
  const waitMs = await deps.limits.attempts.takeAttempt('asks', run.exec, deps.now(), share)
  if (waitMs > 0) return { problem: `too many calls; try again in ${secondsOf(waitMs)} s` }
  const unfit = findUnfitValues(values)
  if (unfit !== undefined) return { problem: `the arguments ${unfit}` }
  if (typeof name === 'number') return answerMoved(deps, run, { number: name, values })
  const row = await findFunction(deps.db.readPoint, run.script_id, name)
  if (!row) return { problem: 'the script has no function with this name' }
  const source = openFunction(deps, row)
  const outcome = await call(deps, run, row, { source, values, run: factsFor(deps, run) })
  return answerOf(outcome)
}

type Code = Pick<FunctionCall, 'source' | 'values' | 'run' | 'isMoved'> & {
  readonly lines?: readonly string[]
}
type Outcome = CallOutcome | { readonly kind: 'paused'; readonly waitMs: number }

async function call(deps: Deps, run: AskRun, row: FunctionRow, { lines, ...code }: Code): Promise<Outcome> {
  const { project_id, customer_id: owner } = run
  const { script_id, version, name } = row
  const called = { functionName: nameOf(row), by: run.caller }
  const caller = { customer_id: owner, called }
  const outcome = await callUnlessPaused(deps, caller, () =>
    deps.sandbox.callFunction({ owner, name, ...code }),
  )
  const id = { project_id, script_id, version, name }
  if (outcome.kind !== 'paused') countCall(deps, id, lines ? mapLines(outcome, name, lines) : outcome)
  return outcome
}

type MovedCall = { readonly number: number; readonly values: readonly unknown[] }

/** Calls a function or reads a table that the build of this version moved to the server. */
async function answerMoved(deps: Deps, run: AskRun, { number, values }: MovedCall): Promise<AskAnswer> {
  const { script_id, project_id, facts } = run
  const row = await findServerCode(deps.db.readPoint, script_id, { version: facts.version, number })
  if (!row) return { problem: 'this version of the script has no such server code' }
  const code = openServerCode(deps, row)
  const where = `${row.name} (${row.place})`
  if ('entries' in code) {
    const { version, name } = row
    deps.functionCalls.countCall({ project_id, script_id, version, name }, 0, null)
    return { value: [readEntry(code, values[0])] }
  }
  const outcome = await call(deps, run, row, { ...code, values, run: wardFor(deps, run), isMoved: true })
  if (outcome.kind === 'value') return { value: outcome.value }
  if (outcome.kind === 'busy') return UNAVAILABLE
  const reason = outcome.kind === 'paused' ? `; try again in ${secondsOf(outcome.waitMs)} s` : ''
  return { problem: `the server could not run ${where}${reason}` }
}

function secondsOf(ms: number): number {
  return Math.ceil(ms / 1000)
}

function countCall({ functionCalls, now }: Deps, id: FunctionId, outcome: CallOutcome): void {
  if (outcome.kind === 'busy') return
  functionCalls.countCall(
    id,
    outcome.ms,
    outcome.kind === 'value' ? null : { problem: outcome.problem, at: now() },
  )
}

function answerOf(outcome: Outcome): AskAnswer {
  if (outcome.kind === 'paused')
    return { problem: `the function failed too often; try again in ${secondsOf(outcome.waitMs)} s` }
  if (outcome.kind === 'value') return { value: outcome.value }
  if (outcome.kind === 'busy') return UNAVAILABLE
  if (outcome.kind === 'exhausted')
    return { problem: `the function exceeded ${CALL_MS} ms or ${CALL_MB} MiB` }
  return { problem: 'the function failed' }
}
