/**
 * What a key may do and for how long: the members of its own before those of its plan. Pure. Statements that need the
 * same in SQL are in `time-left-effects.ts` and `user-status.ts` of its `store`, and in `features/plans/store.ts`.
 */

import { NEVER } from '../../api/limits.ts'
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { PlanRow } from '../plans/store.ts'

/** A feature is there, or has a number or a text; of a user, null takes away one of the plan. */
export type Feature = true | number | string
export type Features = Readonly<Record<string, Feature>>
export type OwnFeatures = Readonly<Record<string, Feature | null>>

/** How many devices a key may have, and what it takes to be one of them. */
export type DeviceTerms = { readonly most: number; readonly rule: DeviceRule }

export const MAX_FEATURES = 64
/** Characters of one that is a text. */
export const MAX_FEATURE_LENGTH = 255

/** `duration` null never ends. */
export type Clock = { readonly basis: 'creation' | 'first_use'; readonly duration: number | null }
export type ClockColumns = Pick<UserRow, 'key_expires' | 'clock_began' | 'clock_waits'>

export function clockOf(plan: Pick<PlanRow, 'clock_basis' | 'clock_duration'>): Clock {
  return { basis: plan.clock_basis, duration: plan.clock_duration }
}

/** The clock of a user: their own, or that of the plan; undefined where the end was set by hand. */
export function findClock(
  user: Pick<UserRow, 'clock_basis' | 'clock_duration'>,
  plan: PlanRow | null,
): Clock | undefined {
  const { clock_basis: basis, clock_duration: duration } = user
  if (basis === null) return plan ? clockOf(plan) : undefined
  return basis === 'none' ? undefined : { basis, duration }
}

/** What a clock writes that begins to count for a user: at once, when the key starts, or with its first use. */
export function startClock(clock: Clock, startsAt: number): ClockColumns {
  if (clock.basis === 'first_use') return { key_expires: null, clock_began: null, clock_waits: 1 }
  return beginClock(clock, startsAt, 0)
}

/** `extra` is what was given to it before it began. */
export function beginClock({ duration }: Clock, began: number, extra: number): ClockColumns {
  const end = duration === null ? null : Math.min(NEVER, began + duration + extra)
  return { key_expires: end, clock_began: began, clock_waits: 0 }
}

export function readFeatures(text: string | null): OwnFeatures {
  return text === null ? {} : (JSON.parse(text) as OwnFeatures)
}

/** Those of the plan with the user's own before them. */
export function featuresOf(own: string | null, ofPlan: string | null): Record<string, Feature> {
  const all = { ...readFeatures(ofPlan), ...readFeatures(own) }
  return Object.fromEntries(Object.entries(all).filter((one): one is [string, Feature] => one[1] !== null))
}

/** Until when a key runs on after its end; null when it has none. */
export function runsUntil(key_expires: number | null, grace: number | null): number | null {
  return key_expires === null ? null : Math.min(NEVER, key_expires + (grace ?? 0))
}

export function isInGrace(key_expires: number | null, grace: number | null, now: number): boolean {
  return key_expires !== null && key_expires <= now && now < (runsUntil(key_expires, grace) ?? now)
}

/** What a script reads of a key that runs; one that has ended runs only where it retains the version of its end. */
export function runStatus(
  key_expires: number | null,
  grace: number | null,
  now: number,
): 'active' | 'grace' | 'expired' {
  if (key_expires === null || key_expires > now) return 'active'
  return isInGrace(key_expires, grace, now) ? 'grace' : 'expired'
}

/** Where neither a key nor its plan says anything. */
const ONE_DEVICE: DeviceTerms = { most: 1, rule: 'all' }

export function deviceTermsOf(
  user: Pick<UserRow, 'max_devices' | 'device_match'>,
  plan: Pick<PlanRow, 'max_devices' | 'device_match'> | null,
): DeviceTerms {
  return {
    most: user.max_devices ?? plan?.max_devices ?? ONE_DEVICE.most,
    rule: user.device_match ?? plan?.device_match ?? ONE_DEVICE.rule,
  }
}

/** How often users may reset in a period of milliseconds; null for as often as their project lets them. */
export function maxResetsOf(
  plan: Pick<PlanRow, 'resets_count' | 'resets_period'> | null,
): { count: number; period: number } | null {
  const { resets_count: count = null, resets_period: period = null } = plan ?? {}
  return count === null || period === null ? null : { count, period }
}

/** When users may reset next as far as their plan goes: 0 for now, null for never. */
export function nextReset(
  { own_resets, own_resets_until }: Pick<UserRow, 'own_resets' | 'own_resets_until'>,
  plan: Pick<PlanRow, 'resets_count'> | null,
  now: number,
): number | null {
  const count = plan?.resets_count ?? null
  if (count === null) return 0
  if (count === 0) return null
  const isOver = own_resets_until === null || own_resets_until <= now
  return isOver || own_resets < count ? 0 : own_resets_until
}

/** What a reset by the user writes: the first of a period begins it. */
export function countReset(
  { own_resets, own_resets_until }: Pick<UserRow, 'own_resets' | 'own_resets_until'>,
  plan: Pick<PlanRow, 'resets_period'> | null,
  now: number,
): Pick<UserRow, 'own_resets' | 'own_resets_until'> {
  if (own_resets_until !== null && own_resets_until > now)
    return { own_resets: own_resets + 1, own_resets_until }
  const period = plan?.resets_period ?? null
  return period === null
    ? { own_resets, own_resets_until }
    : { own_resets: 1, own_resets_until: Math.min(NEVER, now + period) }
}

/** Null for all scripts of the project. */
export function readScripts(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[])
}

/** Whether the quota of the period is used up. */
export function isQuotaSpent(
  user: Pick<UserRow, 'quota_used' | 'quota_until'>,
  count: number | null,
  now: number,
): boolean {
  return count !== null && user.quota_until !== null && user.quota_until > now && user.quota_used >= count
}
