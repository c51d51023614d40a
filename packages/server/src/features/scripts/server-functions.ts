/**
 * Lets authors manage a script's server functions. `features/functions` answers the calls of running scripts.
 */

import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { type AskFacts, factsFor } from '../functions/ask.ts'
import { callUnlessPaused } from '../functions/paused.ts'
import type { CallOutcome } from '../functions/sandbox/sandbox.ts'
import { openFunction, sealFunction } from '../functions/source.ts'
import {
  deleteFunction,
  type FunctionRow,
  findFunction,
  type ListedFunction,
  listFunctions,
  saveFunction,
  UNVERSIONED,
} from '../functions/store.ts'
import { findUnfitFacts, findUnfitValues } from '../functions/values.ts'
import type { ScriptSubject } from '../projects/store/subjects.ts'
import type { ScriptRow } from './store/scripts.ts'
import { lockScript } from './store/scripts.ts'

/** Maximum number of functions per script. */
export const MAX_FUNCTIONS = 32
/** Maximum size of one function, in bytes. */
export const MAX_FUNCTION_BYTES = 65_536
export const FUNCTION_NAME = '^[a-z][a-z0-9_]{0,39}$'

const BUSY_RETRY_S = 1

type NotFound = Refused<'not_found'>
type Unfit = Refused<
  | 'account_expired'
  | 'not_found'
  | 'invalid_request'
  | 'max_functions_reached'
  | 'rate_limited'
  | 'unavailable'
>

/** Lists the functions sorted by name. */
export function listServerFunctions({ db }: Deps, { id }: ScriptRow): Promise<ListedFunction[]> {
  return listFunctions(db.read, id)
}

export async function getServerFunction(
  deps: Deps,
  script: ScriptRow,
  name: string,
): Promise<(ListedFunction & { readonly source: string }) | NotFound> {
  const row = await find(deps, script, name)
  if (!row) return refuse('not_found')
  return { ...listed(row), source: openFunction(deps, row) }
}

function listed(row: FunctionRow): ListedFunction {
  const { name, source_bytes, created_at, updated_at, calls, failures, last_problem, last_failed_at } = row
  return { name, source_bytes, created_at, updated_at, calls, failures, last_problem, last_failed_at }
}

/** Creates or replaces a function. Later calls use the new code. */
export async function putServerFunction(
  deps: Deps,
  { customer, project, script }: ScriptSubject,
  name: string,
  source: string,
): Promise<undefined | Unfit> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const unfit = refuseSource(name, source) ?? (await refuseCode(deps, customer.id, name, source))
  if (unfit) return unfit
  const id = { script_id: script.id, version: UNVERSIONED, name }
  return deps.db.transaction(async (tx) => {
    if (!(await lockScript(tx, project.id, script.id))) return refuse('not_found')
    const others = (await listFunctions(tx, script.id)).filter((one) => one.name !== name)
    if (others.length >= MAX_FUNCTIONS) return refuse('max_functions_reached', { limit: MAX_FUNCTIONS })
    await saveFunction(tx, {
      ...id,
      source: sealFunction(deps, id, source),
      source_bytes: Buffer.byteLength(source),
      updated_at: deps.now(),
    })
    return undefined
  })
}

/** Even expired accounts may remove functions. */
export async function removeServerFunction(
  deps: Deps,
  { script }: ScriptSubject,
  name: string,
): Promise<undefined | NotFound> {
  if (!isName(name)) return refuse('not_found')
  return deps.db.transaction(async (tx) =>
    (await deleteFunction(tx, script.id, name)) ? undefined : refuse('not_found'),
  )
}

export type Trial = {
  readonly values: readonly unknown[]
  /** Simulated properties of the calling run. */
  readonly run: Partial<AskFacts> & { readonly user?: string | null }
}
export type Tried = {
  readonly value: unknown
  readonly problem: string | null
  readonly printed: string[]
  readonly duration_ms: number
}

/**
 * Runs the function as a script would call it, with full diagnostics for the author. The call is not counted.
 */
export async function tryServerFunction(
  deps: Deps,
  { customer, script }: ScriptSubject,
  name: string,
  { values, run }: Trial,
): Promise<Tried | Refused<'not_found' | 'invalid_request' | 'rate_limited' | 'unavailable'>> {
  const unfit = findUnfitValues(values)
  if (unfit !== undefined) return refuseMember('values', unfit)
  const odd = findUnfitFacts(run)
  if (odd !== undefined) return refuseMember('run', odd)
  const row = await find(deps, script, name)
  if (!row) return refuse('not_found')
  const facts = { ...factsFor(deps, { ...GUEST, customer_id: customer.id }), version: script.version, ...run }
  const source = openFunction(deps, row)
  const outcome = await callUnlessPaused(deps, { customer_id: customer.id, called: null }, () =>
    deps.sandbox.callFunction({ owner: customer.id, name, source, values, run: facts }),
  )
  if (outcome.kind === 'busy' || outcome.kind === 'paused') return refuseNow(outcome)
  const { printed, ms } = outcome
  const said =
    outcome.kind === 'value'
      ? { value: outcome.value, problem: null }
      : { value: null, problem: outcome.problem }
  return { ...said, printed: [...printed], duration_ms: ms }
}

const GUEST = {
  user_key: null,
  facts: {
    ...{ plan: null, features: {}, tags: [], metadata: {}, status: 'active', expiry: null },
    ...{ chat_id: null, note: null, executor: 'try', version: 0 },
  },
}

/** Invalid names are never queried, because the database engines accept different strings. */
async function find({ db }: Deps, script: ScriptRow, name: string) {
  return isName(name) ? findFunction(db.read, script.id, name) : null
}

function isName(name: string): boolean {
  return new RegExp(FUNCTION_NAME).test(name)
}

function refuseSource(name: string, source: string): Refused<'invalid_request'> | undefined {
  if (!isName(name))
    return refuseMember(
      'function_name',
      'must be 1 to 40 characters of a-z, 0-9 and _, starting with a letter',
    )
  const bytes = Buffer.byteLength(source)
  if (bytes <= MAX_FUNCTION_BYTES) return undefined
  return refuseMember('source', `must have at most ${MAX_FUNCTION_BYTES} bytes (has ${bytes})`)
}

/** Compiles the code and runs its chunk, as a call does. */
async function refuseCode(
  deps: Deps,
  owner: string,
  name: string,
  source: string,
): Promise<Refused<'invalid_request' | 'rate_limited' | 'unavailable'> | undefined> {
  const outcome = await callUnlessPaused(deps, { customer_id: owner, called: null }, () =>
    deps.sandbox.checkFunction({ owner, name, source }),
  )
  if (outcome.kind === 'value') return undefined
  if (outcome.kind === 'busy' || outcome.kind === 'paused') return refuseNow(outcome)
  return refuseMember('source', wordsOf(name, outcome))
}

type NotRun = { readonly kind: 'busy' } | { readonly kind: 'paused'; readonly waitMs: number }

function refuseNow(outcome: NotRun): Refused<'rate_limited' | 'unavailable'> {
  if (outcome.kind === 'busy') return refuse('unavailable', { retry_after: BUSY_RETRY_S })
  return refuse('rate_limited', { retry_after: Math.ceil(outcome.waitMs / 1000) })
}

/** Converts `price:3: …` to `line 3: …`. */
function wordsOf(name: string, { kind, problem }: Exclude<CallOutcome, { kind: 'value' | 'busy' }>): string {
  const [, line, rest] =
    /^(\d+): (.*)$/s.exec(problem.startsWith(`${name}:`) ? problem.slice(name.length + 1) : '') ?? []
  const words = line === undefined ? problem : `line ${line}: ${rest}`
  return kind === 'uncompiled' ? `must compile as Luau: ${words}` : `must return a function: ${words}`
}
