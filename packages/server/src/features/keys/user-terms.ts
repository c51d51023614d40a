/** A key's terms, whether set on the key or by its plan, for new users and edits. */

import { NEVER } from '../../api/limits.ts'
import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import { type Clock, type ClockColumns, clockOf, findClock, startClock } from '../key-validity/clocks.ts'
import { type ClockValues, clockless, restart, withoutPlan } from '../key-validity/store/time-left-effects.ts'
import {
  deviceTermsOf,
  featuresOf,
  maxResetsOf,
  type OwnFeatures,
  readScripts,
} from '../key-validity/terms.ts'
import { claimPlan, findPlan, type PlanRow } from '../plans/store.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import type { UserChanges, UserRow } from './store/users.ts'

/**
 * A `key_expires` of 0 means never, a `starts_at` of 0 means now, and an empty `plan_id` means no plan. The
 * `plan` clock basis replaces the key's own clock with the plan's. `features` replaces all features set on
 * the key.
 */
export type TermsDraft = {
  readonly plan_id?: string
  readonly key_expires?: number
  readonly starts_at?: number
  readonly clock?: { readonly basis: Clock['basis'] | 'plan'; readonly duration?: number | null }
  readonly features?: OwnFeatures
  /** A value of -1 or the rule `plan` selects the plan's value. */
  readonly max_devices?: number
  readonly match?: DeviceRule | 'plan'
}

export type TermsColumns = ClockColumns &
  Pick<
    UserRow,
    'plan_id' | 'starts_at' | 'clock_basis' | 'clock_duration' | 'features' | 'max_devices' | 'device_match'
  >

/** The default terms. */
export const NO_TERMS: TermsColumns = {
  plan_id: null,
  key_expires: null,
  starts_at: null,
  clock_basis: null,
  clock_duration: null,
  clock_began: null,
  clock_waits: 0,
  features: null,
  max_devices: null,
  device_match: null,
}

/** The columns to edit. `clock` depends on the stored values. */
export type TermsEdit = { readonly columns: UserChanges; readonly clock: ClockValues }

type Unfit = Refused<'invalid_request'>

/** Locks the plan so that it cannot be removed before the transaction ends. */
export async function newTerms(
  tx: Queries,
  { id }: ProjectRow,
  draft: TermsDraft,
  now: number,
): Promise<TermsColumns | Unfit> {
  const plan = await planOf(tx, id, draft.plan_id)
  if (plan instanceof Refused) return plan
  const unfit = refuseClock(draft, plan)
  if (unfit) return unfit
  const { key_expires, features } = draft
  const own = ownClock(draft)
  const starts_at = draft.starts_at || null
  const common = {
    ...NO_TERMS,
    plan_id: plan?.id ?? null,
    starts_at,
    features: storedFeatures(features),
    ...ownDevices(draft),
  }
  if (key_expires !== undefined)
    return { ...common, key_expires: key_expires || null, clock_basis: plan ? 'none' : null }
  const clock = own ?? (plan ? clockOf(plan) : undefined)
  if (!clock) return common
  const started = startClock(clock, Math.max(now, starts_at ?? 0))
  return { ...common, ...started, ...(own ? { clock_basis: own.basis, clock_duration: own.duration } : {}) }
}

/** Returns the changed terms of a user. The caller must have locked the row. */
export async function editedTerms(
  tx: Queries,
  row: UserRow,
  edit: TermsDraft,
  now: number,
): Promise<TermsEdit | Unfit> {
  const { plan_id } = row
  const isMoved = edit.plan_id !== undefined && (edit.plan_id || null) !== plan_id
  const plan = isMoved
    ? await planOf(tx, row.project_id, edit.plan_id)
    : plan_id && (await findPlan(tx, plan_id))
  if (plan instanceof Refused) return plan
  const unfit = refuseClock(edit, plan || null)
  if (unfit) return unfit
  const columns = {
    ...(isMoved ? { plan_id: plan ? plan.id : null } : {}),
    ...(edit.starts_at === undefined ? {} : { starts_at: edit.starts_at || null }),
    ...(edit.features === undefined ? {} : { features: storedFeatures(edit.features) }),
    ...ownDevices(edit),
  }
  return { columns, clock: editedClock(row, edit, { plan: plan || null, isMoved, now }) }
}

type Following = { readonly plan: PlanRow | null; readonly isMoved: boolean; readonly now: number }

/** A key with its own clock keeps that clock when its plan changes. */
function editedClock(row: UserRow, edit: TermsDraft, { plan, isMoved, now }: Following): ClockValues {
  if (edit.key_expires !== undefined)
    return clockless({ basis: plan ? 'none' : null, end: edit.key_expires || null })
  const own = ownClock(edit)
  const hasOwn = row.clock_basis === 'creation' || row.clock_basis === 'first_use'
  const isPlans = edit.clock?.basis === 'plan' || (isMoved && !hasOwn)
  if (!own && !isPlans) return isWaitingForStart(row, now) ? delayedClock(row, edit, { plan, now }) : {}
  if (!own && !plan) return withoutPlan()
  const clock = own ? { clock_basis: own.basis, clock_duration: own.duration } : (plan as PlanRow)
  return restart(clock, { now, latest: NEVER, isOwn: own !== undefined, startsAt: edit.starts_at })
}

function isWaitingForStart({ clock_began }: UserRow, now: number): boolean {
  return clock_began !== null && clock_began > now
}

/** Returns the key's clock, which starts on the edited start date. */
function delayedClock(
  row: UserRow,
  { starts_at }: TermsDraft,
  { plan, now }: Omit<Following, 'isMoved'>,
): ClockValues {
  const clock = findClock(row, plan)
  if (starts_at === undefined || !clock) return {}
  const columns = { clock_basis: clock.basis, clock_duration: clock.duration }
  return restart(columns, { now, latest: NEVER, isOwn: row.clock_basis !== null, startsAt: starts_at })
}

export type ChangedTerm = { readonly member: string; readonly from: unknown; readonly to: unknown }

/** Compares a key's effective terms field by field, and returns the differences. */
export function compareTerms(
  before: { readonly row: UserRow; readonly plan: PlanRow | null },
  after: { readonly row: UserRow; readonly plan: PlanRow | null },
): ChangedTerm[] {
  const [from, to] = [effectiveTerms(before.row, before.plan), effectiveTerms(after.row, after.plan)]
  return Object.keys(from).flatMap((member) => {
    const [old, now] = [from[member] ?? null, to[member] ?? null]
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ member, from: old, to: now }]
  })
}

function effectiveTerms(row: UserRow, plan: PlanRow | null): Readonly<Record<string, unknown>> {
  const devices = deviceTermsOf(row, plan)
  return {
    plan: plan?.name ?? null,
    key_expires: row.key_expires,
    clock: findClock(row, plan),
    grace: plan?.grace ?? 0,
    max_instances: row.max_instances ?? plan?.max_instances,
    max_executions: row.max_executions ?? plan?.max_executions,
    quota: plan?.quota_count ? { count: plan.quota_count, period: plan.quota_period } : null,
    max_devices: devices.most,
    match: devices.rule,
    max_resets: maxResetsOf(plan),
    scripts: readScripts(plan?.scripts ?? null),
    features: featuresOf(row.features, plan?.features ?? null),
  }
}

/** An empty ID means no plan. */
async function planOf(
  tx: Queries,
  projectId: string,
  id: string | undefined,
): Promise<PlanRow | null | Unfit> {
  if (!id) return null
  return (await claimPlan(tx, projectId, id)) ?? refuseMember('plan_id', 'must be a plan in this project')
}

function refuseClock({ clock, key_expires }: TermsDraft, plan: PlanRow | null): Unfit | undefined {
  if (!clock) return undefined
  if (key_expires !== undefined) return refuseMember('clock', 'cannot be combined with key_expires')
  if (clock.basis !== 'plan') return undefined
  return plan ? undefined : refuseMember('clock', 'can only use plan as the basis for a key that has a plan')
}

function ownClock({ clock }: TermsDraft): Clock | undefined {
  if (!clock || clock.basis === 'plan') return undefined
  return { basis: clock.basis, duration: clock.duration ?? null }
}

/** Converts the fields in the request to columns. */
function ownDevices({
  max_devices,
  match,
}: TermsDraft): Partial<Pick<UserRow, 'max_devices' | 'device_match'>> {
  return {
    ...(max_devices === undefined ? {} : { max_devices: max_devices === -1 ? null : max_devices }),
    ...(match === undefined ? {} : { device_match: match === 'plan' ? null : match }),
  }
}

function storedFeatures(features: OwnFeatures | undefined): string | null {
  return features === undefined || Object.keys(features).length === 0 ? null : JSON.stringify(features)
}
