/**
 * Whether a running instance may go on: one ordered list of checks over what is known of it, asked at each beat and for
 * each session again and again. The first that objects names the reason of the kick (client protocol §11). Whether a new
 * one may begin is `verify.ts`.
 */
import { type KickReason, PING_MS, RESUME_MS, SESSION_DEADLINE_MS } from '@scriptward/client/live-messages'
import type { Queries } from '../../store/engine/db.ts'
import type { Judged } from '../../store/tables/live-instances.ts'
import { listBlacklistedDevices } from '../../store/tables/user-fingerprints.ts'
import { isActive, isBlacklisted, isOwnerServed } from '../blacklist.ts'

export type Circumstances = {
  readonly now: number
  /** For how long the clients of an expired account still run. */
  readonly graceMs: number
  /** The device of a guest is that of a blacklisted user. */
  readonly isGuestBanned: boolean
}

type Check = readonly [KickReason, (standing: Judged, circumstances: Circumstances) => boolean]

/** Sessions are written down as seen this much later than they were, at worst. */
const SEEN_LATE_MS = PING_MS + 15_000

export function reasonToStop(standing: Judged, circumstances: Circumstances): KickReason | undefined {
  if (standing.kick !== null) return standing.kick
  return CHECKS.find(([, objects]) => objects(standing, circumstances))?.[0]
}

/** The instances of guests among these whose device is blacklisted in their project. */
export async function findBannedGuests(
  db: Queries,
  standings: readonly Judged[],
  now: number,
): Promise<Set<string>> {
  const guests = standings.flatMap(({ exec, user_key, project_id, device }) =>
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
  ['script_removed', (standing) => standing.enabled === null],
  ['script_disabled', (standing) => standing.enabled === 0],
  ['service_unavailable', isUnserved],
  ['key_removed', (standing) => standing.user_key !== null && standing.key === null],
  ['blacklisted', isBanned],
  ['key_expired', ({ key_expires }, { now }) => key_expires !== null && key_expires <= now],
  [
    'outdated_version',
    (standing) => standing.kick_outdated === 1 && standing.version !== standing.script_version,
  ],
  ['session_lost', isSessionLost],
]

function isUnserved(standing: Judged, circumstances: Circumstances): boolean {
  const {
    plan_expires,
    owner_blacklisted: blacklisted,
    owner_blacklist_expires: blacklist_expires,
  } = standing
  if (plan_expires === null || blacklisted === null) return true
  return !isOwnerServed({ plan_expires, blacklisted, blacklist_expires }, circumstances)
}

/** Of the user, and for a guest the ban of his device. */
function isBanned(standing: Judged, { now, isGuestBanned }: Circumstances): boolean {
  if (standing.user_key === null) return isGuestBanned
  return isBlacklisted(standing, now)
}

function isSessionLost({ ws_required, ws_seen, granted_at }: Judged, { now }: Circumstances): boolean {
  if (ws_required === 0) return false
  const lastSession = ws_seen === null ? granted_at + SESSION_DEADLINE_MS : ws_seen + SEEN_LATE_MS
  return now >= lastSession + RESUME_MS
}
