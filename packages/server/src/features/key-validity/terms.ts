/**
 * The terms of a key. The key's own values override its plan's. All functions are pure. For validity, see
 * `clocks.ts`.
 */

import { NEVER } from '../../api/limits.ts'
import type { DeviceRule } from '../../database/schema/device-tables.ts'
import type { UserRow } from '../keys/store/users.ts'
import type { PlanRow } from '../plans/store.ts'
import { usesInPeriod } from './quota-periods.ts'

/** A feature without a value is `true`. On a key, null removes the plan's feature. */
export type Feature = true | number | string
export type Features = Readonly<Record<string, Feature>>
export type OwnFeatures = Readonly<Record<string, Feature | null>>

/** Maximum number of devices, and the rule for matching them. */
export type DeviceTerms = { readonly most: number; readonly rule: DeviceRule }

export const MAX_FEATURES = 64
/** Maximum length of string features, in characters. */
export const MAX_FEATURE_LENGTH = 255

export function readFeatures(text: string | null): OwnFeatures {
  return text === null ? {} : (JSON.parse(text) as OwnFeatures)
}

/** Merges the features. The key's own values override the plan's. */
export function featuresOf(own: string | null, ofPlan: string | null): Record<string, Feature> {
  const all = { ...readFeatures(ofPlan), ...readFeatures(own) }
  return Object.fromEntries(Object.entries(all).filter((one): one is [string, Feature] => one[1] !== null))
}

/** Default when neither the key nor its plan sets a value. */
const ONE_DEVICE: DeviceTerms = { most: 1, rule: 'strict' }

export function deviceTermsOf(
  user: Pick<UserRow, 'max_devices' | 'device_match'>,
  plan: Pick<PlanRow, 'max_devices' | 'device_match'> | null,
): DeviceTerms {
  return {
    most: user.max_devices ?? plan?.max_devices ?? ONE_DEVICE.most,
    rule: user.device_match ?? plan?.device_match ?? ONE_DEVICE.rule,
  }
}

/**
 * Returns the number of resets allowed per period in milliseconds, or null if only the project's rules apply.
 */
export function maxResetsOf(
  plan: Pick<PlanRow, 'resets_count' | 'resets_period'> | null,
): { count: number; period: number } | null {
  const { resets_count: count = null, resets_period: period = null } = plan ?? {}
  return count === null || period === null ? null : { count, period }
}

/** Returns when the plan allows the next reset. 0 means now, and null means never. */
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

/** Returns the columns that a customer's reset changes. The first reset starts a period. */
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

/** Returns null if all scripts of the project are allowed. */
export function readScripts(text: string | null): string[] | null {
  return text === null ? null : (JSON.parse(text) as string[])
}

export function isQuotaSpent(
  user: Pick<UserRow, 'quota_used' | 'quota_until'>,
  plan: Pick<PlanRow, 'quota_count' | 'quota_period'> | null,
  now: number,
): boolean {
  const { quota_count: count = null, quota_period: period = null } = plan ?? {}
  return count !== null && period !== null && usesInPeriod(user, period, now) >= count
}
