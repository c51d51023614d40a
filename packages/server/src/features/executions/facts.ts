/**
 * Gathers the data that `verdict.ts` evaluates. A grant gathers it twice: first on the read connections, so
 * that a denial costs no write, then in the transaction that locks the user. The lock prevents two
 * simultaneous executions from both taking the last free slot.
 */
import { LIVE_LOADER_BUILD } from '@scriptward/client/live-messages'
import type { Hello } from '@scriptward/client/messages'
import { LOWEST_LOADER_BUILD, MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import type { Queries } from '../../database/engine/db.ts'
import { compareNetworks } from '../../platform/limits/networks.ts'
import { lockCustomer } from '../accounts/store/customers.ts'
import { findAdKeyLock } from '../ads/store/ad-keys.ts'
import { hashesOf } from '../bans/ban-names.ts'
import { findActiveBan } from '../bans/find-ban.ts'
import { listDevices } from '../devices/bindings.ts'
import { type Device, maskDevice } from '../devices/device-data.ts'
import { type KnownDevice, recognize } from '../devices/recognition.ts'
import { countFfaDevices, findFfaDevice } from '../devices/store/ffa-devices.ts'
import { listBlacklistedByFingerprint } from '../devices/store/user-fingerprints.ts'
import { type LearnedMembership, type Membership, membershipOf } from '../discord/membership.ts'
import type { ExecutorVersion } from '../executors/asks.ts'
import { judgeExecutor } from '../executors/rules.ts'
import { type Blacklist, isActive, isOwnerServed } from '../key-validity/blacklist.ts'
import { deviceTermsOf, isQuotaSpent, nextReset, readScripts } from '../key-validity/terms.ts'
import { findRunningUser, lockUser, type UserRow } from '../keys/store/users.ts'
import { findPlanOf, type PlanRow } from '../plans/store.ts'
import type { RunnableRow } from '../scripts/store/runnable-scripts.ts'
import { findVersionAt } from '../scripts/store/script-activations.ts'
import { countLiveInstances } from '../sessions/store/instances.ts'
import type { EventUser, ExecutionData } from '../webhooks/events/event-shapes.ts'
import { eventUser } from '../webhooks/events/events.ts'
import type { Facts, KeylessFacts, UserFacts } from './verdict.ts'

/** An execution before its user is looked up. */
export type Attempt = {
  readonly now: number
  readonly hello: Hello
  readonly isScriptNamedRightly: boolean
  readonly script: RunnableRow | null
  readonly device: Device
  /** Identifies a device that runs without a key. */
  readonly guest: string
  /** How long scripts keep running after an account expires, in milliseconds. */
  readonly graceMs: number
  readonly address: string
  /** The /24 (IPv4) or /48 (IPv6) prefix of `address`. */
  readonly network: string
  /** Looked up before the transaction, because the lookup may require a request to Discord. */
  readonly learned: LearnedMembership
}

/** The gathered data, and the rows that it was read from. */
export type Gathered = {
  readonly facts: Facts
  readonly user: UserRow | null
  readonly plan: PlanRow | null
  readonly known: readonly KnownDevice[]
}

const NO_GUEST: KeylessFacts = { blacklist: undefined, isOverLimit: false, isDeviceMissing: false }

/** Gathers the data without locks. `user` was found by the key in the hello. */
export function gatherFacts(db: Queries, attempt: Attempt, user: UserRow | null): Promise<Gathered> {
  return gather(db, attempt, { user, isClaiming: false })
}

/** Gathers the data again and locks the rows until the transaction ends. */
export async function claimFacts(tx: Queries, attempt: Attempt): Promise<Gathered> {
  const { script, hello } = attempt
  const user = script && (await findKeyUser(tx, script, hello.key, true))
  return gather(tx, attempt, { user, isClaiming: true })
}

type Gathering = { readonly user: UserRow | null; readonly isClaiming: boolean }

async function gather(db: Queries, attempt: Attempt, { user, isClaiming }: Gathering): Promise<Gathered> {
  const { now, script, hello, device } = attempt
  const known = user?.use_fingerprint ? await listDevices(db, user) : []
  const plan = user && (await findPlanOf(db, user))
  const isCounted = user !== null && (user.max_instances ?? plan?.max_instances ?? null) !== null
  const live = isCounted ? await countLiveInstances(db, user, now) : 0
  const isNetworkLocked = user ? await isLockedOut(db, user, attempt) : false
  const kept = user && script && (await findKeptVersion(db, script, user, plan))
  const facts: Facts = {
    now,
    // The first, unlocked pass has already checked for bans.
    ban: isClaiming ? undefined : await findBan(db, attempt, user),
    isLoaderOutdated: hello.lb < lowestBuild(script),
    isScriptNamedRightly: attempt.isScriptNamedRightly,
    host: { canHoldSession: holdsSession(hello), isDeviceAmbiguous: device.isAmbiguous },
    script: script ? readScript(script, hello) : undefined,
    project: script ? readProject(script) : undefined,
    isOwnerServed: script !== null && isOwnerServed(script, attempt),
    user: user
      ? readUser(user, {
          ...{ now, plan, scriptId: script?.id, device, known, live, isNetworkLocked, kept },
          membership: membershipOf(attempt.learned, user),
        })
      : undefined,
    keyless: script?.free_for_all ? await gatherGuest(db, attempt, isClaiming) : NO_GUEST,
  }
  return { facts, user, plan, known }
}

/** `bans` is the project's number of bans. If it is 0, no query is made. */
export async function findBan(
  db: Queries,
  { script, device, address, now }: Attempt,
  user: UserRow | null,
  bans = script?.bans ?? 0,
): Promise<Blacklist | undefined> {
  if (!script) return undefined
  const shown = { hashes: hashesOf(device), address, chatId: user?.chat_id }
  return findActiveBan(db, { projectId: script.project_id, bans, now }, shown)
}

/**
 * Scripts with heartbeats reject older loaders, which send none, because the server could never end their
 * runs.
 */
export function lowestBuild(script: Pick<RunnableRow, 'use_heartbeat'> | null): number {
  return script?.use_heartbeat === 1 ? LIVE_LOADER_BUILD : LOWEST_LOADER_BUILD
}

export function isLive({ lb }: Hello): boolean {
  return lb >= LIVE_LOADER_BUILD
}

/** Returns the name reported by the executor, without control and format characters. */
export function executorOf({ host, rt }: Pick<Hello, 'host' | 'rt'>): string {
  return plain(host.executor) || rt
}

export function executorVersion(hello: Hello): ExecutorVersion {
  return { name: executorOf(hello), version: plain(hello.host.version) }
}

function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '').trim()
}

export function holdsSession(hello: Hello): boolean {
  return isLive(hello) && hello.caps.ws
}

export function findKeyUser(
  db: Queries,
  script: RunnableRow,
  key: string | null,
  isClaiming = false,
): Promise<UserRow | null> {
  // Skips the query: no stored key is that long.
  if (key === null || key === '' || key.length > MAX_USER_KEY_LENGTH) return Promise.resolve(null)
  return (isClaiming ? lockUser : findRunningUser)(db, script.project_id, key)
}

/**
 * Returns the version that was active when the key expired if the plan keeps that version, and otherwise
 * null.
 */
async function findKeptVersion(
  db: Queries,
  { id }: RunnableRow,
  { key_expires }: UserRow,
  plan: PlanRow | null,
): Promise<number | null> {
  const keeps = key_expires !== null && plan?.after_expiry === 'keep_version'
  return keeps ? findVersionAt(db, id, key_expires) : null
}

/** The first use of an unbound ad key must be in time and from the network where the key was earned. */
export async function isLockedOut(
  db: Queries,
  user: UserRow,
  { network, now }: Pick<Attempt, 'network' | 'now'>,
): Promise<boolean> {
  if (user.ad_system_id === null || user.executions > 0) return false
  const lock = await findAdKeyLock(db, user)
  if (!lock || lock.locked_network === null) return false
  return compareNetworks(lock.locked_network, network) === 'different' || now >= (lock.locked_until ?? 0)
}

async function gatherGuest(db: Queries, attempt: Attempt, isClaiming: boolean): Promise<KeylessFacts> {
  const { script, device, now } = attempt
  if (!script) return NO_GUEST
  const hashes = hashesOf(device)
  const matches = hashes.length > 0 ? await listBlacklistedByFingerprint(db, script.project_id, hashes) : []
  const blacklists = matches.map((one) => ({ reason: one.blacklist_reason, expires: one.blacklist_expires }))
  return {
    blacklist: blacklists.find((one) => isActive(one, now)),
    isOverLimit: await isOverLimit(db, attempt, isClaiming),
    isDeviceMissing: hashes.length === 0,
  }
}

async function isOverLimit(db: Queries, { script, guest }: Attempt, isClaiming: boolean): Promise<boolean> {
  if (!script || script.most_keyless_devices === -1) return false
  if (await findFfaDevice(db, script.project_id, guest)) return false
  // The lock serializes the count. Without it, two new devices could both take the last free slot.
  if (isClaiming) await lockCustomer(db, script.customer_id)
  return (await countFfaDevices(db, script.customer_id)) >= script.most_keyless_devices
}

function readScript(script: RunnableRow, hello: Hello): Facts['script'] {
  return {
    enabled: script.enabled === 1,
    disabled_message: script.disabled_message,
    free_for_all: script.free_for_all === 1,
    require_sessions: script.require_sessions === 1,
    executor_rule: judgeExecutor(script.executor_rules, executorVersion(hello)),
  }
}

function readProject(script: RunnableRow): Facts['project'] {
  return {
    allow_fingerprint_resets: script.allow_fingerprint_resets === 1,
    fingerprint_reset_cooldown: script.fingerprint_reset_cooldown,
    require_chat: script.require_chat === 1,
    require_join_chat_server: script.require_join_chat_server === 1,
    guests_need_device: script.guests_need_device === 1,
  }
}

type UserSeen = {
  readonly now: number
  readonly plan: PlanRow | null
  /** Undefined for key checks, which have no script. */
  readonly scriptId: string | undefined
  readonly device: Device
  readonly known: readonly KnownDevice[]
  readonly live: number
  readonly membership: Membership
  readonly isNetworkLocked: boolean
  /** The version that the key keeps after its expiry. */
  readonly kept: number | null
}

export function readUser(
  user: UserRow,
  { now, plan, scriptId, device, known, live, membership, isNetworkLocked, kept }: UserSeen,
): UserFacts {
  const scripts = readScripts(plan?.scripts ?? null)
  const { blacklist_reason: reason, blacklist_expires: expires } = user
  return {
    key_expires: user.key_expires,
    blacklist: user.blacklisted === 1 ? { reason, expires } : undefined,
    use_fingerprint: user.use_fingerprint === 1,
    device: recognize(known, device, deviceTermsOf(user, plan)).match,
    last_reset: user.last_reset,
    next_reset: nextReset(user, plan, now),
    chat_id: user.chat_id,
    membership,
    executions: user.executions,
    max_executions: user.max_executions ?? plan?.max_executions ?? null,
    max_instances: user.max_instances ?? plan?.max_instances ?? null,
    live_instances: live,
    isNetworkLocked,
    isPaused: user.paused_at !== null,
    starts_at: user.starts_at,
    grace: plan?.grace ?? 0,
    kept_version: kept,
    isInPlan: scriptId === undefined || scripts === null || scripts.includes(scriptId),
    quota_until: isQuotaSpent(user, plan, now) ? user.quota_until : null,
  }
}

/** An execution as reported to webhooks. `exec` is null if it was denied. */
export type ReportedExecution = {
  readonly attempt: Attempt
  readonly script: RunnableRow
  readonly user: EventUser | null
  readonly address: string
  readonly exec: string | null
}

export function describeExecution(reported: ReportedExecution): ExecutionData {
  const { attempt, script, user, address, exec } = reported
  const { rt, game } = attempt.hello
  const executor = executorOf(attempt.hello)
  const { ip, fingerprint } = maskDevice(attempt.device, address, executor)
  return {
    script: { id: script.id, name: script.name, version: script.version },
    user: user && eventUser(user),
    execution: {
      id: exec,
      executor,
      runtime: rt,
      game_user_id: game?.game_user_id ?? null,
      place_id: game?.place_id ?? null,
      job_id: game?.job_id ?? null,
    },
    client: { ip, country: null, fingerprint },
  }
}
