/**
 * Determines what a visitor gets for completing the steps: a new key, an extension, or nothing (and when that
 * will change). This is checked before the first step, and again when the key is claimed.
 */

import type { Queries } from '../../../database/engine/db.ts'
import { isReached } from '../../accounts/quotas.ts'
import { leftInPause } from '../../key-validity/clocks.ts'
import { countCustomerUsers } from '../../projects/store/projects.ts'
import {
  type AdKeyRow,
  type EarnedKey,
  listDeviceAdKeys,
  listNetworkAdKeys,
  listVisitorAdKeys,
} from '../store/ad-keys.ts'
import type { VisitedAdSystem } from '../store/ad-systems.ts'

/**
 * Identifies the visitor by device if known, otherwise by the browser's cookie, and otherwise by network and
 * browser.
 */
export type Earner = Pick<AdKeyRow, 'visitor' | 'device' | 'network' | 'browser'>

export type Earnings = {
  /** Keys that certainly belong to the visitor. */
  readonly own: readonly EarnedKey[]
  /** Keys earned from the same network with a similar browser, possibly by another person. */
  readonly alike: readonly EarnedKey[]
}

export type Prospect =
  | { readonly kind: 'create' }
  | { readonly kind: 'extend'; readonly key: EarnedKey; readonly key_expires: number }
  | {
      readonly kind: 'refused'
      readonly reason: 'max_keys_reached' | 'max_duration_reached' | 'account_full'
      readonly allowedAt?: number
    }

const NEVER = Number.MAX_SAFE_INTEGER
/** Shorter extensions are refused, because they aren't worth completing the steps. */
const LEAST_GAIN_MS = 60_000

/** Keys that the system issued while it belonged to another project can't run this project's scripts. */
export async function listEarnings(db: Queries, system: VisitedAdSystem, earner: Earner): Promise<Earnings> {
  const inProject = (keys: readonly EarnedKey[]) =>
    keys.filter(({ project_id }) => project_id === system.project_id)
  if (earner.device !== null)
    return { own: inProject(await listDeviceAdKeys(db, earner.device, system.id)), alike: [] }
  const own = earner.visitor === '' ? [] : inProject(await listVisitorAdKeys(db, earner.visitor, system.id))
  const near = inProject(await listNetworkAdKeys(db, earner, system.id))
  return { own, alike: near.filter(({ visitor }) => visitor !== earner.visitor) }
}

export async function findProspect(
  db: Queries,
  system: VisitedAdSystem,
  earnings: Earnings,
  now: number,
): Promise<Prospect> {
  const extension = extensionOf(system, earnings.own, now)
  if (extension !== undefined) return extension
  const live = [...earnings.own, ...earnings.alike].filter((key) => isAlive(key, now))
  if (live.length >= system.max_keys) return refuseMore(live, system.max_keys)
  const count = async () => (await countCustomerUsers(db, system.customer_id)).fromAds
  const isFull = await isReached(system.max_ad_users, count)
  return isFull ? { kind: 'refused', reason: 'account_full' } : { kind: 'create' }
}

function isAlive(key: EarnedKey, now: number): boolean {
  const end = endOf(key, now)
  return end === null || end > now
}

/** The time a key would expire if a paused key were resumed now. Null if it never expires. */
function endOf(key: EarnedKey, now: number): number | null {
  const left = leftInPause(key)
  return left === null ? key.key_expires : now + left
}

/** Extends the key that expires first. A key that the owner made permanent needs no extension. */
function extensionOf(system: VisitedAdSystem, own: readonly EarnedKey[], now: number): Prospect | undefined {
  if (system.allow_extending !== 1) return undefined
  const ends = own.flatMap((key) => {
    const before = endOf(key, now)
    return before === null || key.key_expires === null ? [] : [{ key, before, stored: key.key_expires }]
  })
  const [first] = ends.sort((a, b) => a.before - b.before)
  if (first === undefined) return undefined
  const { key, before, stored } = first
  const longest = now + system.max_duration
  const end = Math.min(Math.max(now, before) + system.key_duration, longest)
  const gain = end - before
  // If the key is paused, resuming it moves its stored expiry.
  if (gain >= LEAST_GAIN_MS) return { kind: 'extend', key, key_expires: stored + gain }
  const allowedAt = before + LEAST_GAIN_MS - system.max_duration
  return { kind: 'refused', reason: 'max_duration_reached', allowedAt }
}

/**
 * Another key is possible when fewer than `most` are left. There may be more than that now, because the owner
 * lowered the limit or the visitor came to a network where others earned keys.
 */
function refuseMore(live: readonly EarnedKey[], most: number): Prospect {
  const reason = 'max_keys_reached'
  const ends = live.map(({ key_expires, paused_at }) => (paused_at === null && key_expires) || NEVER)
  const allowedAt = ends.sort((a, b) => a - b)[live.length - most] ?? NEVER
  return allowedAt === NEVER ? { kind: 'refused', reason } : { kind: 'refused', reason, allowedAt }
}
