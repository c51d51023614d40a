/**
 * A project's remote variables: JSON values that running scripts read by name and that can change during a
 * run. An edit replaces all of them, and must include the version that it is based on.
 */

import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Variable } from '../../protocol/contents.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { listPlans } from '../plans/store.ts'
import { lockProject, type ProjectRow } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { listScriptNames } from '../scripts/store/scripts.ts'
import { readVariables } from '../sessions/contents.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { addEvent } from '../webhooks/events/events.ts'
import { findVariables, raiseContentRevision, saveVariables } from './store.ts'

/** Null means all scripts or, for the list of plans, all plans and guests. */
type GivenVariable = {
  readonly value: unknown
  readonly scripts?: readonly string[] | null | undefined
  readonly plans?: readonly string[] | null | undefined
}
export type GivenVariables = Readonly<Record<string, GivenVariable>>

/** Limits per project: the number of variables, and the bytes of JSON in their names and values. */
export const MAX_VARIABLES = 256
export const MAX_VARIABLE_BYTES = 65_536
/** Maximum nesting of lists and objects in one value. A message of the client protocol allows 32 levels. */
export const DEEPEST_VARIABLE = 16

type Unfit = Refused<'account_expired' | 'not_found' | 'invalid_request' | 'variables_changed'>

/** Version 0 means that there are no variables yet. */
export async function getVariables({ db }: Pick<Deps, 'db'>, { id }: ProjectRow) {
  const row = await findVariables(db.read, id)
  const entries = readVariables(row?.data).map(({ name, ...rest }) => [name, rest] as const)
  return {
    version: row?.version ?? 0,
    updated_at: row?.updated_at ?? null,
    variables: Object.fromEntries(entries),
  }
}

/**
 * Running scripts see changes immediately over their live session, or otherwise with their next
 * heartbeat.
 */
export async function replaceVariables(
  deps: Deps,
  { customer, project }: ProjectSubject,
  given: { readonly version: number; readonly variables: GivenVariables },
): Promise<{ readonly version: number } | Unfit> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const unfit = refuseValues(given.variables)
  if (unfit) return unfit
  const variables = Object.entries(given.variables).map(describe)
  const replaced = await deps.db.transaction(async (tx) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const row = await findVariables(tx, project.id)
    const current = row?.version ?? 0
    if (current !== given.version) return refuse('variables_changed', { version: current })
    const before = readVariables(row?.data)
    const unknown = await refuseUnknown(tx, project, { before, variables })
    if (unknown) return unknown
    const changed = namesOfChanged(before, variables)
    deps.annotateAudit({
      before: { version: current },
      nouns: { variables: changed.join(' ').slice(0, MAX_NOTED) },
    })
    const version = current + 1
    const data = JSON.stringify(variables)
    await saveVariables(tx, { project_id: project.id, version, data, updated_at: now })
    await raiseContentRevision(tx, project.id)
    await addEvent(tx, deps, {
      type: 'variables.edited',
      project_id: project.id,
      data: { version, changed, actor: 'owner' },
    })
    return { version }
  })
  if ('version' in replaced) await reviewSessions(deps, { project_id: project.id })
  return replaced
}

function describe([name, { value, scripts, plans }]: [string, GivenVariable]): Variable {
  return { name, value, scripts: unique(scripts), plans: unique(plans) }
}

function unique(ids: readonly string[] | null | undefined): string[] | null {
  return ids ? [...new Set(ids)] : null
}

/** Returns the names of variables that were added or removed, or whose value or targeting changed. */
function namesOfChanged(before: readonly Variable[], after: readonly Variable[]): string[] {
  const texts = new Map(before.map((one) => [one.name, JSON.stringify(one)]))
  const changed = after.filter((one) => texts.get(one.name) !== JSON.stringify(one)).map(({ name }) => name)
  const kept = new Set(after.map(({ name }) => name))
  return [...changed, ...[...texts.keys()].filter((name) => !kept.has(name))].sort()
}

function refuseValues(variables: GivenVariables): Refused<'invalid_request'> | undefined {
  const values = Object.entries(variables).map(([name, { value }]) => [name, value] as const)
  for (const [name, value] of values) {
    const fix = findUnfit(value)
    if (fix !== undefined) return refuseMember(`variables.${name}.value`, fix)
  }
  const bytes = Buffer.byteLength(JSON.stringify(Object.fromEntries(values)))
  if (bytes <= MAX_VARIABLE_BYTES) return undefined
  return refuseMember('variables', `must have at most ${MAX_VARIABLE_BYTES} bytes as JSON (has ${bytes})`)
}

function findUnfit(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'must not be null. Leave the variable out instead'
  return findDeepUnfit(value, 0)
}

/** A number that is too large for JavaScript is parsed as infinity, which JSON can't represent. */
function findDeepUnfit(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'must not contain numbers beyond 1.8e308'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth === DEEPEST_VARIABLE) return `must not be nested more than ${DEEPEST_VARIABLE} levels deep`
  for (const part of Object.values(value)) {
    const fix = findDeepUnfit(part, depth + 1)
    if (fix !== undefined) return fix
  }
  return undefined
}

/**
 * A variable may keep the scripts and plans that it is already limited to. Otherwise, removing one of them
 * would block edits to every variable, because each edit sends all of them.
 */
async function refuseUnknown(
  tx: Queries,
  { id, customer_id }: ProjectRow,
  { before, variables }: Record<'before' | 'variables', readonly Variable[]>,
): Promise<Refused<'invalid_request'> | undefined> {
  const scripts = new Set((await listScriptNames(tx, customer_id, id)).map((script) => script.id))
  const plans = new Set((await listPlans(tx, id)).map((plan) => plan.id))
  const kept = new Map(before.map((one) => [one.name, one]))
  for (const { name, ...limits } of variables) {
    const own = kept.get(name)
    const script = limits.scripts?.findIndex((one) => !scripts.has(one) && !own?.scripts?.includes(one)) ?? -1
    if (script >= 0)
      return refuseMember(`variables.${name}.scripts.${script}`, 'must be the ID of a script in this project')
    const plan = limits.plans?.findIndex((one) => !plans.has(one) && !own?.plans?.includes(one)) ?? -1
    if (plan >= 0)
      return refuseMember(`variables.${name}.plans.${plan}`, 'must be the ID of a plan in this project')
  }
  return undefined
}

/** Maximum length of the names in an audit entry, in characters. */
const MAX_NOTED = 500
