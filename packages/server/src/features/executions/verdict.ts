/**
 * Decides whether an execution is granted. The checks run in the order of client protocol §9, and the first
 * one that fails decides. All functions are pure.
 */
import type { DenialExtras, DenialReason } from '@scriptward/client/messages'
import type { DeviceMatch } from '../devices/recognition.ts'
import type { Membership } from '../discord/membership.ts'
import { type Blacklist, isActive } from '../key-validity/blacklist.ts'
import { runsUntil } from '../key-validity/clocks.ts'

export type Facts = {
  readonly now: number
  readonly isLoaderOutdated: boolean
  /** Whether the hello names the script in its boot record. */
  readonly isScriptNamedRightly: boolean
  readonly host: { readonly canHoldSession: boolean; readonly isDeviceAmbiguous: boolean }
  readonly script: ScriptFacts | undefined
  readonly project: ProjectFacts | undefined
  /** Whether the owner's account is active, including the grace period, and not blacklisted. */
  readonly isOwnerServed: boolean
  /** The ban on the device, network or Discord account. It may have expired. */
  readonly ban: Blacklist | undefined
  /** The user with the key in the hello. Undefined if the key is missing or from another project. */
  readonly user: UserFacts | undefined
  /** Data about the device if it runs without a key. */
  readonly keyless: KeylessFacts
}

type ScriptFacts = {
  readonly enabled: boolean
  readonly disabled_message: string | null
  readonly free_for_all: boolean
  readonly require_sessions: boolean
  /** The result of the script's executor rules. Null if they allow the executor. */
  readonly executor_rule: 'deny' | 'watch' | null
}

type ProjectFacts = {
  readonly allow_fingerprint_resets: boolean
  readonly fingerprint_reset_cooldown: number
  readonly require_chat: boolean
  readonly require_join_chat_server: boolean
  readonly guests_need_device: boolean
}

export type UserFacts = {
  readonly key_expires: number | null
  readonly blacklist: Blacklist | undefined
  readonly use_fingerprint: boolean
  readonly device: DeviceMatch
  readonly last_reset: number
  /** When the plan allows the next reset. 0 means now, and null means never. */
  readonly next_reset: number | null
  readonly chat_id: string | null
  /**
   * Whether the Discord account is a member of the project's Discord server. Looked up only if the project
   * requires membership.
   */
  readonly membership: Membership
  readonly executions: number
  readonly max_executions: number | null
  readonly max_instances: number | null
  readonly live_instances: number
  /**
   * Whether the first use of an ad key is too late, or comes from a network other than the one where the key
   * was earned.
   */
  readonly isNetworkLocked: boolean
  readonly isPaused: boolean
  readonly starts_at: number | null
  /** How long the key works after its expiry date, in milliseconds. */
  readonly grace: number
  /** The version that the key may run after it expires. Null for none. */
  readonly kept_version: number | null
  /** Whether the plan includes the script. */
  readonly isInPlan: boolean
  /** When an exhausted quota renews. Null if the quota isn't exhausted. */
  readonly quota_until: number | null
}

export type KeylessFacts = {
  /** The blacklist of a user whose fingerprint matches this device. */
  readonly blacklist: Blacklist | undefined
  /** Whether the device is new and the account has reached its tier's limit for keyless devices. */
  readonly isOverLimit: boolean
  /** Whether the device has no strong component, which means that a blacklist couldn't recognize it. */
  readonly isDeviceMissing: boolean
}

type Granted = {
  readonly granted: true
  readonly isPremium: boolean
  /** The version that an expired key keeps. Null for the active version. */
  readonly keptVersion: number | null
}
export type Denied = { readonly granted: false; readonly reason: DenialReason; readonly extras: DenialExtras }
export type Verdict = Granted | Denied

type Objection = Denied | undefined
type ExecutionCheck = (facts: Facts) => Objection

export function judgeFacts(facts: Facts): Verdict {
  for (const check of CHECKS) {
    const objection = check(facts)
    if (objection) return objection
  }
  const user = countingUser(facts)
  const keptVersion = user && isExpired(user, facts.now) ? user.kept_version : null
  return { granted: true, isPremium: user !== undefined, keptVersion }
}

/**
 * Returns the user whose rules apply. In a free-for-all script, an expired key counts as no key, and its user
 * runs as a guest. All other keys are checked.
 */
export function countingUser({ user, script, now }: Facts): UserFacts | undefined {
  if (!user || !script?.free_for_all) return user
  return isExpired(user, now) && !isActive(user.blacklist, now) ? undefined : user
}

export function deny(reason: DenialReason, details?: DenialExtras['details']): Denied {
  return { granted: false, reason, extras: details ? { details } : {} }
}

/**
 * Bans come before key checks, and blacklists before expiry, so that blocked clients learn nothing about a
 * key.
 */
const CHECKS: readonly ExecutionCheck[] = [
  (facts) => when(facts.isLoaderOutdated, 'outdated_loader'),
  (facts) => when(!facts.isScriptNamedRightly, 'bad_request'),
  (facts) => when(!facts.script, 'script_not_found'),
  checkEnabled,
  checkService,
  checkBan,
  (facts) => when(!facts.user && !facts.script?.free_for_all, 'invalid_key'),
  checkBlacklist,
  (facts) => when(countingUser(facts)?.isPaused, 'key_paused'),
  checkStart,
  checkExpiry,
  (facts) => when(countingUser(facts)?.isInPlan === false, 'not_in_plan'),
  (facts) => when(facts.script?.executor_rule === 'deny', 'executor_not_allowed'),
  (facts) => when(facts.host.isDeviceAmbiguous && needsDevice(facts), 'fingerprint_ambiguous'),
  (facts) => when(hasDevice(facts, 'missing') || isUnknownGuest(facts), 'fingerprint_missing'),
  checkDevice,
  (facts) => when(countingUser(facts)?.isNetworkLocked, 'network_locked'),
  (facts) => when(facts.project?.require_chat && countingUser(facts)?.chat_id === null, 'chat_required'),
  checkMembership,
  checkExecutions,
  checkQuota,
  checkInstances,
  (facts) => when(facts.script?.require_sessions && !facts.host.canHoldSession, 'sessions_required'),
]

function when(isObjectionable: boolean | undefined, reason: DenialReason): Objection {
  return isObjectionable ? deny(reason) : undefined
}

function checkEnabled({ script }: Facts): Objection {
  if (!script || script.enabled) return undefined
  const { disabled_message } = script
  return deny('script_disabled', disabled_message === null ? undefined : { disabled_message })
}

function checkService(facts: Facts): Objection {
  const isGuestTooMany = facts.script?.free_for_all && !countingUser(facts) && facts.keyless.isOverLimit
  return when(!facts.isOwnerServed || isGuestTooMany, 'service_unavailable')
}

function checkBan({ ban, now }: Facts): Objection {
  return isActive(ban, now) ? denyBanned(ban) : undefined
}

function denyBanned({ reason, expires }: Blacklist): Denied {
  return deny('blacklisted', { blacklist_reason: reason, blacklist_expires: expires })
}

function checkBlacklist(facts: Facts): Objection {
  const user = countingUser(facts)
  const blacklist = user ? user.blacklist : facts.keyless.blacklist
  return isActive(blacklist, facts.now) ? denyBanned(blacklist) : undefined
}

function checkExpiry(facts: Facts): Objection {
  const user = countingUser(facts)
  return user && user.kept_version === null && isExpired(user, facts.now)
    ? deny('key_expired', { expired_at: user.key_expires })
    : undefined
}

function checkStart(facts: Facts): Objection {
  const starts_at = countingUser(facts)?.starts_at ?? 0
  return starts_at > facts.now ? deny('key_not_started', { starts_at }) : undefined
}

function checkDevice(facts: Facts): Objection {
  if (!hasDevice(facts, 'different')) return undefined
  const { last_reset = 0, next_reset = 0 } = countingUser(facts) ?? {}
  const resetAt = Math.max(last_reset + (facts.project?.fingerprint_reset_cooldown ?? 0), next_reset ?? 0)
  const allowed = facts.project?.allow_fingerprint_resets === true && next_reset !== null
  return deny('fingerprint_mismatch', {
    can_reset: allowed && resetAt <= facts.now,
    reset_available_at: allowed && resetAt > facts.now ? resetAt : null,
  })
}

/**
 * Adds whether a Discord account is linked, because joining the Discord server doesn't help without one. Also
 * adds whether Discord was unreachable, because trying again helps in that case.
 */
function checkMembership(facts: Facts): Objection {
  const user = countingUser(facts)
  if (!facts.project?.require_join_chat_server || !user || user.membership === 'member') return undefined
  const unreachable = user.membership === 'unknown' ? ({ unreachable: true } as const) : {}
  return deny('join_required', { chat_linked: user.chat_id !== null, ...unreachable })
}

function checkExecutions(facts: Facts): Objection {
  const user = countingUser(facts)
  return when(
    user && user.max_executions !== null && user.executions >= user.max_executions,
    'max_executions',
  )
}

function checkQuota(facts: Facts): Objection {
  const resets_at = countingUser(facts)?.quota_until ?? null
  return resets_at === null ? undefined : deny('quota_spent', { resets_at })
}

function checkInstances(facts: Facts): Objection {
  const user = countingUser(facts)
  if (!user || user.max_instances === null || user.live_instances < user.max_instances) return undefined
  return deny('max_instances', { live: user.live_instances, max: user.max_instances })
}

function needsDevice(facts: Facts): boolean {
  return countingUser(facts)?.use_fingerprint ?? true
}

function hasDevice(facts: Facts, match: DeviceMatch): boolean {
  const user = countingUser(facts)
  return user?.use_fingerprint === true && user.device === match
}

function isUnknownGuest(facts: Facts): boolean {
  const mayBeUnknown = facts.project?.guests_need_device !== true
  return !mayBeUnknown && countingUser(facts) === undefined && facts.keyless.isDeviceMissing
}

function isExpired({ key_expires, grace }: UserFacts, now: number): boolean {
  const end = runsUntil(key_expires, grace)
  return end !== null && end <= now
}
