/**
 * Self-service for customers who only have their key. They can see the key's state, unbind the device if the
 * project allows it, and end their own sessions. Owners use the API instead
 * (`devices/manage-devices.ts`, `sessions/sessions.ts`).
 */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { networkOf } from '../../platform/limits/networks.ts'
import type { Limit } from '../../platform/limits/rules.ts'
import type { Session } from '../../protocol/sessions/session.ts'
import { limitAddress } from '../abuse/attempts.ts'
import { report } from '../abuse/security-events.ts'
import { findActiveBan, listDeviceHashes } from '../bans/find-ban.ts'
import {
  describeFingerprint,
  isDeviceName,
  MAX_DEVICE_NAME_LENGTH,
  refuseReset,
  releaseDevice,
  renameDevice,
  resetFingerprint,
} from '../devices/manage-devices.ts'
import { type Blacklist, isBlacklisted } from '../key-validity/blacklist.ts'
import { findClock, leftInPause, runsUntil } from '../key-validity/clocks.ts'
import { deviceTermsOf, readScripts } from '../key-validity/terms.ts'
import { findOwnStatus } from '../keys/attach-status.ts'
import { describeDevices } from '../keys/history.ts'
import type { UserRow } from '../keys/store/users.ts'
import { findPlanOf, type PlanRow } from '../plans/store.ts'
import { listShownScripts } from '../projects/brand.ts'
import { keyAsIssued } from '../projects/key-formats.ts'
import { findKeySubject, listKeySubjects, type UserSubject } from '../projects/store/subjects.ts'
import { listScriptNames, type ScriptName } from '../scripts/store/scripts.ts'
import { disconnectSession, sessionsOf } from '../sessions/sessions.ts'
import { maskKey } from '../webhooks/events/chat-text.ts'

/** Whether the device can be unbound now, or why not. */
type OwnReset =
  | { readonly kind: 'possible' | 'disabled' | 'unbound' | 'any_device' | 'blacklisted' }
  | { readonly kind: 'cooldown'; readonly retry_at: number }

type OwnSession = Pick<Session, 'id' | 'executor' | 'state' | 'created_at'> & {
  readonly script_name: string
}

type OwnState = 'active' | 'not_started' | 'grace' | 'paused' | 'expired' | 'blacklisted'

type OwnDevice = Pick<
  Awaited<ReturnType<typeof describeDevices>>[number],
  'id' | 'name' | 'executor' | 'fingerprint' | 'last_used_at'
>

/** A key as its customer sees it. All times are in milliseconds. */
export type OwnKey = {
  readonly project_name: string
  readonly masked_key: string
  readonly state: OwnState
  /** Name of the key's plan. Null without a plan. */
  readonly plan: string | null
  readonly key_expires: number | null
  /** Remaining milliseconds of a paused or unused key. Null for other keys. */
  readonly kept: number | null
  /** End of the grace period after expiry. */
  readonly grace_until: number | null
  readonly blacklist: { readonly reason: string | null; readonly expires: number | null } | undefined
  readonly executions: number
  readonly max_executions: number | null
  /** The same masked lines that owners see. Empty if no device is bound. */
  readonly device: readonly string[]
  /** In binding order. Empty if the key is limited to one device. */
  readonly devices: readonly OwnDevice[]
  readonly max_devices: number
  readonly last_reset: number
  readonly reset: OwnReset
  readonly sessions: readonly OwnSession[]
}

/** Maximum number of sessions shown. */
const MAX_SESSIONS = 50

/** Limits requests from an IP address, whatever the key is. */
export function limitSelfService(deps: Deps, address: string): Promise<Refused<'rate_limited'> | undefined> {
  return limitAddress(deps, 'ownPageAddress', address)
}

/** `project` is a project ID. If undefined, the key is looked up in all projects. */
export type OwnName = { readonly key: string; readonly project: string | undefined }

/**
 * Finds the user with this key. Several accounts may have the same key. The result is then `several`, and the
 * page asks for the project without revealing any of them. Unknown keys count against the visitor's network.
 * After too many, further unknown keys from that network are rejected for a while. An existing key always
 * opens its page.
 */
export async function findOwn(
  deps: Deps,
  name: OwnName,
  address: string,
): Promise<UserSubject | 'several' | Refused<'rate_limited'> | undefined> {
  const { limits, now, db } = deps
  if (name.key === '') return undefined
  // A longer key cannot exist, so it needs no query.
  const found = name.key.length <= MAX_USER_KEY_LENGTH ? await listOwn(db.readPoint, name) : []
  if (found.length > 1) return 'several'
  if (found.length === 1) return found[0]
  const network = networkOf(address)
  const page = pageOf(network)
  const paused = tooMany(await limits.attempts.pauseOf(page, now()))
  if (paused) return paused
  const ms = await limits.attempts.countWrongKey(page, now())
  if (ms > 0) report(deps, 'keys_paused', { network, where: 'page', ms })
  return undefined
}

/** Also finds keys typed in lower case if they are in their project's key format. */
async function listOwn(db: Queries, { key, project }: OwnName): Promise<UserSubject[]> {
  const found = await listExact(db, { key, project })
  const typed = key.toUpperCase()
  if (found.length > 0 || typed === key) return found
  const issued = await listExact(db, { key: typed, project })
  return issued.filter((one) => keyAsIssued(one.project.key_format, key) === typed)
}

async function listExact(db: Queries, { key, project }: OwnName): Promise<UserSubject[]> {
  if (project === undefined) return listKeySubjects(db, key, 2)
  const subject = await findKeySubject(db, project, key)
  return subject ? [subject] : []
}

/** `address` is the visitor's IP address, whose network may be banned. */
export async function describeOwn(
  deps: Deps,
  { customer, project, user }: UserSubject,
  address: string,
): Promise<OwnKey> {
  const now = deps.now()
  const blacklist = await blacklistOf(deps, { customer, project, user }, address)
  const { status, plan } = await findOwnStatus(deps, user)
  const sessions = await deps.sessions.network.list(sessionsOf(user), { limit: MAX_SESSIONS })
  const names = sessions.length === 0 ? [] : await listScriptNames(deps.db.read, customer.id, project.id)
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  return {
    project_name: project.name,
    masked_key: maskKey(user.key),
    state: blacklist ? 'blacklisted' : (STATES.find((each) => each === status) ?? 'active'),
    plan: plan?.name ?? null,
    key_expires: user.key_expires,
    kept: keptTime(user, plan),
    grace_until: status === 'grace' ? runsUntil(user.key_expires, plan?.grace ?? null) : null,
    blacklist,
    executions: user.executions,
    max_executions: user.max_executions ?? plan?.max_executions ?? null,
    device: describeFingerprint(user).split('\n').filter(Boolean),
    last_reset: user.last_reset,
    ...(await devicesOf(deps, user, plan)),
    reset: blacklist ? { kind: 'blacklisted' } : resetOf({ customer, project, user }, plan, now),
    sessions: sessions.map(({ id, executor, state, created_at, script_id }) => ({
      ...{ id, executor, state, created_at },
      script_name: nameOf.get(script_id) ?? script_id,
    })),
  }
}

async function devicesOf(deps: Deps, user: UserRow, plan: PlanRow | null) {
  const { most } = deviceTermsOf(user, plan)
  const all = user.use_fingerprint === 1 ? await describeDevices(deps, user) : []
  const isOne = most === 1 && all.length <= 1
  const devices = all.map(({ id, name, executor, fingerprint, last_used_at }) => ({
    ...{ id, name, executor, fingerprint, last_used_at },
  }))
  return { max_devices: most, devices: isOne ? [] : devices }
}

/** The scripts that the author shows to customers, without those that the key's plan doesn't include. */
export async function listOwnScripts(deps: Deps, { project, user }: UserSubject): Promise<ScriptName[]> {
  const plan = await findPlanOf(deps.db.readPoint, user)
  return listShownScripts(deps, project.id, readScripts(plan?.scripts ?? null))
}

/** Releases one of several devices. */
export async function releaseOwnDevice(deps: Deps, subject: UserSubject, id: string, address: string) {
  const limited = await limitKey(deps, 'ownReset', subject)
  if (limited) return limited
  if (await blacklistOf(deps, subject, address)) return refuse('forbidden')
  return releaseDevice(deps, subject, id)
}

export async function nameOwnDevice(
  deps: Deps,
  subject: UserSubject,
  device: { readonly id: string; readonly name: string },
) {
  const limited = await limitKey(deps, 'ownPageKey', subject)
  if (limited) return limited
  return isDeviceName(device.name)
    ? renameDevice(deps, subject, device)
    : refuseMember('name', `must have at most ${MAX_DEVICE_NAME_LENGTH} characters`)
}

/** Other statuses appear as active. */
const STATES: readonly OwnState[] = ['not_started', 'grace', 'paused', 'expired', 'blacklisted']

/** Remaining milliseconds of a paused or unused key. Null for other keys. */
export function keptTime(user: UserRow, plan: PlanRow | null): number | null {
  if (user.clock_waits === 1) {
    const duration = findClock(user, plan)?.duration ?? null
    return duration === null ? null : duration + user.clock_extra
  }
  return leftInPause(user)
}

export async function resetOwnFingerprint(deps: Deps, subject: UserSubject, address: string) {
  const limited = await limitKey(deps, 'ownReset', subject)
  if (limited) return limited
  if (await blacklistOf(deps, subject, address)) return refuse('forbidden')
  return resetFingerprint(deps, subject, { actor: 'user', force: false })
}

/** Returns the same error for another user's session as for a nonexistent session. */
export async function endOwnSession(
  deps: Deps,
  subject: UserSubject,
  id: string,
): Promise<Refused<'session_not_found' | 'rate_limited'> | undefined> {
  const limited = await limitKey(deps, 'ownPageKey', subject)
  if (limited) return limited
  const session = await deps.sessions.network.find(id)
  const { key, project_id } = subject.user
  if (session?.user_key !== key || session.project_id !== project_id) return refuse('session_not_found')
  return disconnectSession(deps, session, 'ended_by_user')
}

/**
 * Returns the ban of the user's device, Discord account or network, or else the user's own blacklist entry.
 * Bans take precedence, as they do for runs.
 */
async function blacklistOf(
  deps: Deps,
  { project, user }: UserSubject,
  address: string,
): Promise<Blacklist | undefined> {
  const now = deps.now()
  const { id: projectId, bans } = project
  const hashes = bans === 0 ? [] : await listDeviceHashes(deps.db.readPoint, user)
  const shown = { hashes, address, chatId: user.chat_id }
  const ban = await findActiveBan(deps.db.readPoint, { projectId, bans, now }, shown)
  if (ban || !isBlacklisted(user, now)) return ban
  return { reason: user.blacklist_reason, expires: user.blacklist_expires }
}

function resetOf({ project, user }: UserSubject, plan: PlanRow | null, now: number): OwnReset {
  if (user.use_fingerprint === 0) return { kind: 'any_device' }
  if (user.fingerprint_assigned === 0) return { kind: 'unbound' }
  const refused = refuseReset(project, user, plan, now)
  if (refused === undefined) return { kind: 'possible' }
  if (refused.reason !== 'fingerprint_reset_on_cooldown') return { kind: 'disabled' }
  return { kind: 'cooldown', retry_at: Number(refused.members.retry_at) }
}

async function limitKey({ limits, now }: Deps, limit: Limit, { user }: UserSubject) {
  return tooMany(await limits.attempts.takeAttempt(limit, `${user.project_id} ${user.key}`, now()))
}

function tooMany(waitMs: number): Refused<'rate_limited'> | undefined {
  return waitMs > 0 ? refuse('rate_limited', { retry_after: Math.ceil(waitMs / 1000) }) : undefined
}

/**
 * Attempts here are counted separately from clients, so that a typo can't stop scripts on the same IP
 * address.
 */
function pageOf(network: string): string {
  return `page ${network}`
}
