/**
 * Decides whether a running instance may continue, with an ordered list of checks that runs on each heartbeat
 * and periodically for each session. The first failed check is the reason for the kick (client protocol §11).
 * `verdict.ts` decides whether a new instance may start.
 */
import { type KickReason, PING_MS, RESUME_MS, SESSION_DEADLINE_MS } from '@scriptward/client/live-messages'
import type { Queries } from '../../database/engine/db.ts'
import { listBlacklistedDevices } from '../devices/store/user-fingerprints.ts'
import { isActive, isBlacklisted, isOwnerServed } from '../key-validity/blacklist.ts'
import { runsUntil } from '../key-validity/clocks.ts'
import { readScripts } from '../key-validity/terms.ts'
import { isStaged } from '../releases/customer-version.ts'
import type { HeartbeatRow } from './store/live-instances.ts'

export type Context = {
  readonly now: number
  /** Grace period during which an expired account's clients may keep running. */
  readonly graceMs: number
  /** Whether the guest's device belongs to a blocked user. */
  readonly isGuestBlacklisted: boolean
  /**
   * Set if this process has the instance's session. The session then isn't considered lost even if the row is
   * updated late.
   */
  readonly isHeld?: true
}

type Check = readonly [KickReason, (instance: HeartbeatRow, context: Context) => boolean]

/** Maximum delay before `ws_seen` is updated. */
const SEEN_LAG_MS = PING_MS + 15_000

export function reasonToStop(instance: HeartbeatRow, context: Context): KickReason | undefined {
  if (instance.kick !== null) return instance.kick
  return CHECKS.find(([, objects]) => objects(instance, context))?.[0]
}

/** Returns the instances of guests whose device is blocked in the project. */
export async function findBlacklistedGuests(
  db: Queries,
  instances: readonly HeartbeatRow[],
  now: number,
): Promise<Set<string>> {
  const guests = instances.flatMap(({ exec, user_key, project_id, device }) =>
    user_key === null && device !== null ? [{ exec, project_id, device }] : [],
  )
  if (guests.length === 0) return new Set()
  const banned = (await listBlacklistedDevices(db, guests)).filter((one) =>
    isActive({ reason: null, expires: one.blacklist_expires }, now),
  )
  const names = new Set(banned.map((one) => `${one.project_id} ${one.hash}`))
  return new Set(guests.filter((one) => names.has(`${one.project_id} ${one.device}`)).map(({ exec }) => exec))
}

const CHECKS: readonly Check[] = [
  ['script_removed', (instance) => instance.enabled === null],
  ['script_disabled', (instance) => instance.enabled === 0],
  ['service_unavailable', isUnserved],
  ['key_removed', (instance) => instance.user_key !== null && instance.key === null],
  ['blacklisted', isKeyBlacklisted],
  ['key_paused', ({ paused_at }) => paused_at !== null],
  ['key_expired', isExpired],
  ['not_in_plan', isNotInPlan],
  ['outdated_version', isOutdated],
  ['session_lost', isSessionLost],
]

function isUnserved(instance: HeartbeatRow, context: Context): boolean {
  const {
    plan_expires,
    owner_blacklisted: blacklisted,
    owner_blacklist_expires: blacklist_expires,
  } = instance
  if (plan_expires === null || blacklisted === null) return true
  return !isOwnerServed({ plan_expires, blacklisted, blacklist_expires }, context)
}

/** Checks the key, or the device of a guest. */
function isKeyBlacklisted(instance: HeartbeatRow, { now, isGuestBlacklisted }: Context): boolean {
  if (instance.user_key === null) return isGuestBlacklisted
  return isBlacklisted(instance, now)
}

function isExpired(instance: HeartbeatRow, { now }: Context): boolean {
  return hasEnded(instance, now) && !keepsVersion(instance)
}

function hasEnded({ key_expires, grace }: HeartbeatRow, now: number): boolean {
  const end = runsUntil(key_expires, grace)
  return end !== null && end <= now
}

/**
 * Returns whether customers no longer get the instance's version. An instance that keeps its version after
 * the key expires is never outdated.
 */
function isOutdated(instance: HeartbeatRow, { now }: Context): boolean {
  const { kick_outdated, version, script_version, staging } = instance
  if (kick_outdated !== 1 || version === script_version || hasEnded(instance, now)) return false
  return !isStaged(staging, script_version)
}

/**
 * Returns whether an instance keeps running after its key has expired, because it either started before that
 * or runs the version that was active when the key expired.
 */
export function keepsVersion(
  instance: Pick<
    HeartbeatRow,
    'key_expires' | 'granted_at' | 'after_expiry' | 'script_version' | 'kept_version'
  >,
): boolean {
  const { key_expires, granted_at, after_expiry, script_version, kept_version } = instance
  if (after_expiry !== 'keep_version' || key_expires === null) return false
  return granted_at <= key_expires || script_version === kept_version
}

function isNotInPlan({ plan_scripts, script_id }: HeartbeatRow): boolean {
  return readScripts(plan_scripts)?.includes(script_id) === false
}

function isSessionLost(
  { ws_required, ws_seen, granted_at }: HeartbeatRow,
  { now, isHeld }: Context,
): boolean {
  if (ws_required === 0 || isHeld) return false
  const lastSession = ws_seen === null ? granted_at + SESSION_DEADLINE_MS : ws_seen + SEEN_LAG_MS
  return now >= lastSession + RESUME_MS
}
