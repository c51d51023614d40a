/**
 * Decides whether an execution is granted: one ordered list of checks over gathered facts. The first check that objects
 * decides, so the list is the order of client protocol §9. Pure: nothing here reads or writes.
 */
import type { DenialExtras, DenialReason } from '@scriptward/client/messages'
import type { DeviceMatch } from '../devices/recognition.ts'
import { type Blacklist, isActive } from '../key-validity/blacklist.ts'
import { runsUntil } from '../key-validity/clocks.ts'

export type Facts = {
  readonly now: number
  readonly isLoaderOutdated: boolean
  /** The hello names the script that its boot record was made for. */
  readonly isScriptNamedRightly: boolean
  readonly host: { readonly canHoldSession: boolean; readonly isDeviceAmbiguous: boolean }
  readonly script: ScriptFacts | undefined
  readonly project: ProjectFacts | undefined
  /** The owner's plan runs, grace included, and the owner is not blacklisted. */
  readonly isOwnerServed: boolean
  /** Of its device, network or chat account; it may have ended. */
  readonly ban: Blacklist | undefined
  /** The user whose key came with the hello; undefined without a key and with one that is not the project's. */
  readonly user: UserFacts | undefined
  /** What is known of the device when it runs without a key. */
  readonly keyless: KeylessFacts
}

type ScriptFacts = {
  readonly enabled: boolean
  readonly disabled_message: string | null
  readonly free_for_all: boolean
  readonly require_sessions: boolean
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
  /** When its plan lets users reset: 0 for now, null for never. */
  readonly next_reset: number | null
  readonly chat_id: string | null
  /** The chat account is in the project's chat server; only known where the project requires it. */
  readonly is_chat_member: boolean
  readonly executions: number
  readonly max_executions: number | null
  readonly max_instances: number | null
  readonly live_instances: number
  /** It was earned in another network and waits for its first use there. */
  readonly isNetworkLocked: boolean
  readonly isPaused: boolean
  readonly starts_at: number | null
  /** For how long it runs on after its end. */
  readonly grace: number
  /** The version that it still runs when it has ended; null for none. */
  readonly kept_version: number | null
  /** Whether its plan has the script. */
  readonly isInPlan: boolean
  /** When the quota of its plan starts again, while it is spent. */
  readonly quota_until: number | null
}

export type KeylessFacts = {
  /** Of the blacklisted user whose fingerprint this device has. */
  readonly blacklist: Blacklist | undefined
  /** The device is new and the account has all the keyless devices that its tier allows. */
  readonly isOverLimit: boolean
  /** It shows no strong component, so it cannot be recognised when its user is blacklisted. */
  readonly isDeviceMissing: boolean
}

type Granted = {
  readonly granted: true
  readonly isPremium: boolean
  /** The version that a key keeps which has ended; null for the active one. */
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
 * The user whose rules apply. In a free-for-all script a key that has run out is as good as none, so its holder runs
 * as a guest; every other key is judged.
 */
export function countingUser({ user, script, now }: Facts): UserFacts | undefined {
  if (!user || !script?.free_for_all) return user
  return isExpired(user, now) && !isActive(user.blacklist, now) ? undefined : user
}

export function deny(reason: DenialReason, details?: DenialExtras['details']): Denied {
  return { granted: false, reason, extras: details ? { details } : {} }
}

/** Bans come before all that is about the key, and blacklists before expiry, so that who is banned learns nothing of a key. */
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

/** Says whether a chat account is linked, because without one joining alone does not help. */
function checkMembership(facts: Facts): Objection {
  const user = countingUser(facts)
  if (!facts.project?.require_join_chat_server || !user || user.is_chat_member) return undefined
  return deny('join_required', { chat_linked: user.chat_id !== null })
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
