/**
 * Whether a running instance may go on: one ordered list of checks, run at each beat and regularly for each session. The
 * first check that objects is the reason of the kick (client protocol §11). Whether a new instance may begin is in
 * `verdict.ts`.
 */
import { type KickReason, PING_MS, RESUME_MS, SESSION_DEADLINE_MS } from '@scriptward/client/live-messages'
import type { Queries } from '../../store/engine/db.ts'
import type { HeartbeatRow } from '../../store/tables/live-instances.ts'
import { listBlacklistedDevices } from '../../store/tables/user-fingerprints.ts'
import { isActive, isBlacklisted, isOwnerServed } from '../blacklist.ts'

export type Context = {
  readonly now: number
  /** How long clients of an expired account may still run. */
  readonly graceMs: number
  /** The guest's device belongs to a blacklisted user. */
  readonly isGuestBanned: boolean
}

type Check = readonly [KickReason, (instance: HeartbeatRow, context: Context) => boolean]

/** `ws_seen` lags behind by this much at worst. */
const SEEN_LAG_MS = PING_MS + 15_000

export function reasonToStop(instance: HeartbeatRow, context: Context): KickReason | undefined {
  if (instance.kick !== null) return instance.kick
  return CHECKS.find(([, objects]) => objects(instance, context))?.[0]
}

/** The instances of guests among these whose device is blacklisted in their project. */
export async function findBannedGuests(
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
  ['blacklisted', isBanned],
  ['key_expired', ({ key_expires }, { now }) => key_expires !== null && key_expires <= now],
  [
    'outdated_version',
    (instance) => instance.kick_outdated === 1 && instance.version !== instance.script_version,
  ],
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

/** Of the user; for a guest, of the device. */
function isBanned(instance: HeartbeatRow, { now, isGuestBanned }: Context): boolean {
  if (instance.user_key === null) return isGuestBanned
  return isBlacklisted(instance, now)
}

function isSessionLost({ ws_required, ws_seen, granted_at }: HeartbeatRow, { now }: Context): boolean {
  if (ws_required === 0) return false
  const lastSession = ws_seen === null ? granted_at + SESSION_DEADLINE_MS : ws_seen + SEEN_LAG_MS
  return now >= lastSession + RESUME_MS
}
