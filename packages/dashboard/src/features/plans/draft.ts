/** A plan's form state, its validation, and the request body. */
import type { V1PlansEditData } from '@scriptward/sdk'
import { countIn, countText, isCount } from '../../lib/counts.ts'
import { lengthIn, parted, type Unit } from '../../lib/durations.ts'
import { type FeatureRow, featuresIn, rowsOf, validateFeatures } from '../../lib/features.ts'
import { text } from '../../messages/text.ts'
import type { Clock, Plan } from '../../queries/plans.ts'

export type Body = NonNullable<V1PlansEditData['body']>
type Period = NonNullable<Plan['quota']>['period']
export type Draft = {
  name: string
  ends: 'never' | 'after'
  amount: string
  unit: Unit
  basis: Clock['basis']
  grace: string
  graceUnit: Unit
  after_expiry: Plan['after_expiry']
  max_instances: string
  max_executions: string
  max_devices: string
  match: Plan['match']
  resets: string
  resetsDays: string
  quota: string
  period: Period
  all_scripts: boolean
  scripts: string[]
  features: FeatureRow[]
  resellable: boolean
  /** Role ID; empty for no role. */
  chat_role: string
}

const t = text.plans
const YEAR_MS = 31_557_600_000
const MAX_CLOCK_MS = 100 * YEAR_MS
const MAX_NAME_LENGTH = 100
const MAX_LIMIT = 2_147_483_647
const MAX_DEVICES = 20
const DAY_MS = 86_400_000

const NEW: Draft = {
  name: '',
  ends: 'after',
  amount: '30',
  unit: 'day',
  basis: 'first_use',
  grace: '',
  graceUnit: 'day',
  after_expiry: 'deny',
  max_instances: '',
  max_executions: '',
  max_devices: '',
  match: 'strict',
  resets: '',
  resetsDays: '30',
  quota: '',
  period: 'day',
  all_scripts: true,
  scripts: [],
  features: [],
  resellable: false,
  chat_role: '',
}

/** Returns the defaults of a new plan if there is no plan. */
export function draftOf(plan?: Plan): Draft {
  if (plan === undefined) return NEW
  const { clock, grace, quota, scripts } = plan
  const duration = clock.duration === null ? { amount: NEW.amount, unit: NEW.unit } : parted(clock.duration)
  const rest = grace === 0 ? { amount: '', unit: NEW.graceUnit } : parted(grace)
  return {
    name: plan.name,
    ends: clock.duration === null ? 'never' : 'after',
    amount: String(duration.amount),
    unit: duration.unit,
    basis: clock.basis,
    grace: String(rest.amount),
    graceUnit: rest.unit,
    after_expiry: plan.after_expiry,
    max_instances: countText(plan.max_instances),
    max_executions: countText(plan.max_executions),
    max_devices: plan.max_devices === 1 ? '' : String(plan.max_devices),
    match: plan.match,
    resets: countText(plan.max_resets?.count ?? null),
    resetsDays: plan.max_resets ? String(plan.max_resets.period / DAY_MS) : NEW.resetsDays,
    quota: countText(quota?.count ?? null),
    period: quota?.period ?? NEW.period,
    all_scripts: scripts === null,
    scripts: [...(scripts ?? [])],
    features: rowsOf(plan.features),
    resellable: plan.resellable,
    chat_role: plan.chat_role_id ?? '',
  }
}

export function clockIn({ ends, amount, unit, basis }: Draft): Clock {
  return { basis, duration: ends === 'never' ? null : (lengthIn(amount, unit) ?? null) }
}

/** Returns a request body with all fields. Expects a valid draft. */
export function bodyOf(draft: Draft): Body & { readonly name: string } {
  return {
    name: draft.name.trim(),
    clock: clockIn(draft),
    grace: draft.grace.trim() === '' ? 0 : (lengthIn(draft.grace, draft.graceUnit) ?? 0),
    after_expiry: draft.after_expiry,
    max_instances: countIn(draft.max_instances),
    max_executions: countIn(draft.max_executions),
    max_devices: countIn(draft.max_devices) ?? 1,
    match: draft.match,
    max_resets: resetsIn(draft),
    quota: draft.quota.trim() === '' ? null : { count: Number(draft.quota), period: draft.period },
    scripts: draft.all_scripts ? null : draft.scripts,
    features: featuresIn(draft.features),
    resellable: draft.resellable,
    chat_role_id: draft.chat_role || null,
  }
}

/** Returns the fields that differ from the plan. */
export function changesIn(draft: Draft, plan: Plan): Body {
  const before = bodyOf(draftOf(plan))
  const changed = Object.entries(bodyOf(draft)).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member as keyof Body]),
  )
  return Object.fromEntries(changed)
}

export function validate(draft: Draft): Readonly<Record<string, string | undefined>> {
  const name = draft.name.trim()
  const isName = name !== '' && [...name].length <= MAX_NAME_LENGTH
  const limit = (given: string) => (isCount(given, 1, MAX_LIMIT) ? undefined : t.limitWrong)
  return {
    name: isName ? undefined : t.nameMissing,
    clock:
      draft.ends === 'never' || isLength(draft.amount, draft.unit, MAX_CLOCK_MS)
        ? undefined
        : t.durationWrong,
    grace:
      draft.ends === 'never' || draft.grace.trim() === '' || isLength(draft.grace, draft.graceUnit, YEAR_MS)
        ? undefined
        : t.graceWrong,
    max_instances: limit(draft.max_instances),
    max_executions: limit(draft.max_executions),
    max_devices: isCount(draft.max_devices, 1, MAX_DEVICES) ? undefined : text.devices.maxWrong,
    resets: isCount(draft.resets, 0, 1000) ? undefined : text.devices.resetsWrong,
    resetsDays:
      draft.resets.trim() === '' || isPeriod(draft.resetsDays) ? undefined : text.devices.periodWrong,
    quota: limit(draft.quota),
    scripts: draft.all_scripts || draft.scripts.length > 0 ? undefined : t.scriptsMissing,
    ...validateFeatures(draft.features),
  }
}

function isLength(amount: string, unit: Unit, most: number): boolean {
  const length = lengthIn(amount, unit)
  return length !== undefined && length <= most
}

function resetsIn({ resets, resetsDays }: Draft): Plan['max_resets'] {
  return resets.trim() === ''
    ? null
    : { count: Number(resets), period: Math.round(Number(resetsDays) * DAY_MS) }
}

/** Accepts fractions of a day, which other programs may have set. */
function isPeriod(given: string): boolean {
  return Number(given) > 0 && Number(given) <= 365
}
