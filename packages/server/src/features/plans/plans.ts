/**
 * Plans define the permissions and validity of the keys on them. A plan is read together with its user, so a
 * change applies from the next check. Only the expiry dates derived from a plan's clock are stored, and a
 * single statement updates them all.
 */

import { newId } from '../../api/ids.ts'
import { NEVER } from '../../api/limits.ts'
import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../access/caller.ts'
import { isAccountExpired } from '../accounts/quotas.ts'
import { isStaffRole } from '../discord/bot.ts'
import { findBot } from '../discord/store/bots.ts'
import { type Clock, clockOf } from '../key-validity/clocks.ts'
import type { QuotaPeriod } from '../key-validity/quota-periods.ts'
import { updateClocks } from '../key-validity/store/time-left-effects.ts'
import { type Features, featuresOf, maxResetsOf, readScripts } from '../key-validity/terms.ts'
import { lockProject, type ProjectRow } from '../projects/store/projects.ts'
import type { PlanSubject, ProjectSubject } from '../projects/store/subjects.ts'
import { listScriptNames } from '../scripts/store/scripts.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { addEvent } from '../webhooks/events/events.ts'
import {
  countAllFollowers,
  countFollowers,
  countPlans,
  deletePlan,
  findPlan,
  findPlanByName,
  insertPlan,
  listPlans as listPlanRows,
  lockPlan,
  type PlanRow,
  updateFollowers,
  updatePlan,
} from './store.ts'

/** Maximum number of plans per project. */
export const MAX_PLANS = 100

type AfterExpiry = PlanRow['after_expiry']

/** Omitted fields keep their value, or get the default in a new plan. Null removes a limit. */
export type PlanDraft = {
  readonly name?: string | undefined
  readonly clock?: Clock | undefined
  readonly grace?: number | undefined
  readonly max_instances?: number | null | undefined
  readonly max_executions?: number | null | undefined
  readonly quota?: { readonly count: number; readonly period: QuotaPeriod } | null | undefined
  readonly scripts?: readonly string[] | null | undefined
  readonly features?: Features | undefined
  readonly max_devices?: number | undefined
  readonly match?: DeviceRule | undefined
  readonly after_expiry?: AfterExpiry | undefined
  readonly max_resets?: { readonly count: number; readonly period: number } | null | undefined
  readonly resellable?: boolean | undefined
  readonly chat_role_id?: string | null | undefined
}

/** By default, keys never expire. */
const NEW_PLAN = { clock_basis: 'creation' } as const

type Unfit = Refused<'account_expired' | 'not_found' | 'invalid_request' | 'plan_name_taken'>

export async function createPlan(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { name, ...draft }: PlanDraft & { readonly name: string },
): Promise<string | Unfit | Refused<'max_plans_reached'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const id = newId('pln', now, deps.random)
  return deps.db.transaction(async (tx) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    if ((await countPlans(tx, project.id)) >= MAX_PLANS)
      return refuse('max_plans_reached', { limit: MAX_PLANS })
    const unfit = await refuseDraft(tx, project, { ...draft, name })
    if (unfit) return unfit
    const columns = { ...NEW_PLAN, ...columnsOf(draft) }
    await insertPlan(tx, { ...columns, name: name.trim(), id, project_id: project.id, created_at: now })
    return id
  })
}

/**
 * Running scripts with a live session see the change immediately. All others see it with their next
 * heartbeat.
 */
export async function editPlan(
  deps: Deps,
  { customer, project, plan }: PlanSubject,
  draft: PlanDraft,
): Promise<undefined | Unfit | Refused<'cannot_edit_nothing'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const changes = columnsOf(draft)
  if (Object.keys(changes).length === 0) return refuse('cannot_edit_nothing')
  const change = async (tx: Queries) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const before = await lockPlan(tx, project.id, plan.id)
    if (!before) return refuse('not_found')
    const unfit = await refuseDraft(tx, project, draft, before)
    if (unfit) return unfit
    deps.annotateAudit({ before: describePlan(before, 0), isNullValue: true })
    const after = await updatePlan(tx, before.id, changes)
    if (isOtherClock(before, after)) await updateClocks(tx, after, { now, latest: NEVER })
    const data = { plan: { id: after.id, name: after.name }, actor: 'owner' } as const
    await addEvent(tx, deps, { type: 'plan.edited', project_id: project.id, data })
    return undefined
  }
  // These changes also affect all users on the plan: either their clocks, or the checks of their Discord
  // roles.
  const isForAll = draft.clock !== undefined || 'grace' in changes || 'chat_role_id' in changes
  const refused = await (isForAll ? deps.db.bulk(change) : deps.db.transaction(change))
  if (!refused) await reviewSessions(deps, { project_id: project.id })
  return refused
}

/** `moveTo` is the plan that the users move to. If it is omitted, the plan must not have any users. */
export async function removePlan(
  deps: Deps,
  { customer, project, plan }: PlanSubject,
  moveTo: string | undefined,
): Promise<undefined | Unfit | Refused<'plan_in_use'>> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  const unknown = refuseMember('move_to', 'must be another plan in this project')
  if (moveTo === plan.id) return unknown
  const change = async (tx: Queries) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    if (!(await lockPlan(tx, project.id, plan.id))) return refuse('not_found')
    const next = moveTo === undefined ? undefined : await lockPlan(tx, project.id, moveTo)
    if (moveTo !== undefined && !next) return unknown
    const users = await countFollowers(tx, plan.id)
    if (users > 0 && !next) return refuse('plan_in_use', { users })
    if (next) await follow(tx, plan, next, now)
    await deletePlan(tx, plan.id)
    return undefined
  }
  const refused = await (moveTo === undefined ? deps.db.transaction(change) : deps.db.bulk(change))
  if (!refused && moveTo !== undefined) await reviewSessions(deps, { project_id: project.id })
  return refused
}

/**
 * Lists a project's plans in order of creation, with the number of users on each. Issuers see only the plans
 * that they may issue keys with.
 */
export async function listPlans({ db }: Deps, { id }: ProjectRow, { issuer }: Pick<Caller, 'issuer'>) {
  const all = await listPlanRows(db.read, id)
  const rows = issuer ? all.filter(({ resellable }) => resellable === 1) : all
  const users = await countAllFollowers(
    db.read,
    rows.map((row) => row.id),
  )
  // Issuers must not see how many keys others sold.
  return rows.map((row) => describePlan(row, issuer ? 0 : (users.get(row.id) ?? 0)))
}

export async function getPlan({ db }: Deps, { id }: PlanRow) {
  const row = await findPlan(db.read, id)
  return row ? describePlan(row, await countFollowers(db.read, id)) : refuse('not_found')
}

function describePlan(row: PlanRow, users: number) {
  const { quota_count: count, quota_period: period } = row
  return {
    id: row.id,
    project_id: row.project_id,
    name: row.name,
    clock: clockOf(row),
    grace: row.grace,
    max_instances: row.max_instances,
    max_executions: row.max_executions,
    quota: count === null || period === null ? null : { count, period },
    scripts: readScripts(row.scripts),
    features: featuresOf(null, row.features),
    max_devices: row.max_devices,
    match: row.device_match,
    max_resets: maxResetsOf(row),
    after_expiry: row.after_expiry,
    resellable: row.resellable === 1,
    chat_role_id: row.chat_role_id,
    created_at: row.created_at,
    users,
  }
}

async function follow(tx: Queries, from: PlanRow, to: PlanRow, now: number): Promise<void> {
  await updateFollowers(tx, from.id, to.id)
  if (isOtherClock(from, to)) await updateClocks(tx, to, { now, latest: NEVER })
}

function isOtherClock(before: PlanRow, after: PlanRow): boolean {
  return before.clock_basis !== after.clock_basis || before.clock_duration !== after.clock_duration
}

/**
 * Runs those checks of a draft that need the database. `own` is the plan being edited, which may keep scripts
 * that were removed since.
 */
async function refuseDraft(
  tx: Queries,
  project: ProjectRow,
  { name, scripts, chat_role_id }: PlanDraft,
  own?: PlanRow,
): Promise<Unfit | undefined> {
  const namesake = name === undefined ? undefined : await findPlanByName(tx, project.id, name.trim())
  if (namesake && namesake.id !== own?.id) return refuse('plan_name_taken')
  const bot = chat_role_id ? await findBot(tx, project.id) : null
  if (bot && chat_role_id && (await isStaffRole(tx, bot, chat_role_id)))
    return refuseMember('chat_role_id', 'must not be a staff role: customers would get its permissions')
  if (!scripts) return undefined
  const existing = (await listScriptNames(tx, project.customer_id, project.id)).map(({ id }) => id)
  const known = new Set([...existing, ...(readScripts(own?.scripts ?? null) ?? [])])
  const unknown = scripts.findIndex((id) => !known.has(id))
  if (unknown < 0) return undefined
  return refuseMember(`scripts.${unknown}`, 'must be the ID of a script in this project')
}

function columnsOf({
  name,
  clock,
  quota,
  scripts,
  features,
  match,
  max_resets,
  resellable,
  ...rest
}: PlanDraft) {
  const { count = null, period = null } = quota ?? {}
  return given({
    ...rest,
    resellable: resellable === undefined ? undefined : resellable ? (1 as const) : (0 as const),
    name: name?.trim(),
    clock_basis: clock?.basis,
    clock_duration: clock?.duration,
    ...(quota === undefined ? {} : { quota_count: count, quota_period: period }),
    device_match: match,
    ...(max_resets === undefined ? {} : resetColumns(max_resets)),
    scripts: scripts && JSON.stringify([...new Set(scripts)]),
    features: features && JSON.stringify(features),
  })
}

function resetColumns(max_resets: NonNullable<PlanDraft['max_resets']> | null) {
  return { resets_count: max_resets?.count ?? null, resets_period: max_resets?.period ?? null }
}

type Defined<T> = { [M in keyof T]?: Exclude<T[M], undefined> }

/** Drops undefined fields and keeps null, because null is a value. */
function given<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}
