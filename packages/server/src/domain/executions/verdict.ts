/**
 * Decides whether an execution is granted: one ordered list of checks over gathered facts. The first check that objects
 * decides, so the list is the order of client protocol §9. Pure: nothing here reads or writes.
 */
import type { DenialExtras, DenialReason } from '@scriptward/client/messages'
import { type Blacklist, isActive } from '../blacklist.ts'
import type { DeviceMatch } from '../users/devices.ts'

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
  /** The user whose key came with the hello; undefined without a key and with one that is not the project's. */
  readonly user: UserFacts | undefined
  /** What is known of the device when it runs without a key. */
  readonly keyless: KeylessFacts
}

export type ScriptFacts = {
  readonly enabled: boolean
  readonly free_for_all: boolean
  readonly require_sessions: boolean
}

export type ProjectFacts = {
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
  readonly chat_id: string | null
  /** The chat account is in the project's chat server; only known where the project requires it. */
  readonly is_chat_member: boolean
  readonly executions: number
  readonly max_executions: number | null
  readonly max_instances: number | null
  readonly live_instances: number
  /** It was earned in another network and waits for its first use there. */
  readonly isNetworkLocked: boolean
}

export type KeylessFacts = {
  /** Of the blacklisted user whose fingerprint this device has. */
  readonly blacklist: Blacklist | undefined
  /** The device is new and the account has all the keyless devices that its tier allows. */
  readonly isOverLimit: boolean
  /** It shows no strong component, so it cannot be recognised when its user is blacklisted. */
  readonly isDeviceMissing: boolean
}

export type Granted = { readonly granted: true; readonly isPremium: boolean }
export type Denied = { readonly granted: false; readonly reason: DenialReason; readonly extras: DenialExtras }
export type Verdict = Granted | Denied

type Objection = Denied | undefined
type ExecutionCheck = (facts: Facts) => Objection

export function judgeFacts(facts: Facts): Verdict {
  for (const check of CHECKS) {
    const objection = check(facts)
    if (objection) return objection
  }
  return { granted: true, isPremium: countingUser(facts) !== undefined }
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

/** Blacklist comes before expiry, so that a banned user learns nothing else about their key. */
const CHECKS: readonly ExecutionCheck[] = [
  (facts) => when(facts.isLoaderOutdated, 'outdated_loader'),
  (facts) => when(!facts.isScriptNamedRightly, 'bad_request'),
  (facts) => when(!facts.script, 'script_not_found'),
  (facts) => when(!facts.script?.enabled, 'script_disabled'),
  checkService,
  (facts) => when(!facts.user && !facts.script?.free_for_all, 'invalid_key'),
  checkBlacklist,
  checkExpiry,
  (facts) => when(facts.host.isDeviceAmbiguous && needsDevice(facts), 'fingerprint_ambiguous'),
  (facts) => when(hasDevice(facts, 'missing') || isUnknownGuest(facts), 'fingerprint_missing'),
  checkDevice,
  (facts) => when(countingUser(facts)?.isNetworkLocked, 'network_locked'),
  (facts) => when(facts.project?.require_chat && countingUser(facts)?.chat_id === null, 'chat_required'),
  checkMembership,
  checkExecutions,
  checkInstances,
  (facts) => when(facts.script?.require_sessions && !facts.host.canHoldSession, 'sessions_required'),
]

function when(isObjectionable: boolean | undefined, reason: DenialReason): Objection {
  return isObjectionable ? deny(reason) : undefined
}

function checkService(facts: Facts): Objection {
  const isGuestTooMany = facts.script?.free_for_all && !countingUser(facts) && facts.keyless.isOverLimit
  return when(!facts.isOwnerServed || isGuestTooMany, 'service_unavailable')
}

function checkBlacklist(facts: Facts): Objection {
  const user = countingUser(facts)
  const blacklist = user ? user.blacklist : facts.keyless.blacklist
  if (!isActive(blacklist, facts.now)) return undefined
  return deny('blacklisted', { blacklist_reason: blacklist.reason, blacklist_expires: blacklist.expires })
}

function checkExpiry(facts: Facts): Objection {
  const user = countingUser(facts)
  return user && isExpired(user, facts.now)
    ? deny('key_expired', { expired_at: user.key_expires })
    : undefined
}

function checkDevice(facts: Facts): Objection {
  if (!hasDevice(facts, 'different')) return undefined
  const resetAt = (countingUser(facts)?.last_reset ?? 0) + (facts.project?.fingerprint_reset_cooldown ?? 0)
  const allowed = facts.project?.allow_fingerprint_resets === true
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

function isExpired(user: UserFacts, now: number): boolean {
  return user.key_expires !== null && user.key_expires <= now
}
