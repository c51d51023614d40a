/**
 * Checks whether a key is valid on a device, without a run: for other software and for the library for script
 * hubs. A key check makes the same checks as an execution, in the same order, but without those for scripts.
 * Nothing is counted, and a device is bound only on request.
 */
import { DENIALS, type Denial, denial, type Hello } from '@scriptward/client/messages'
import { type Refused, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { prefixOf } from '../../platform/limits/networks.ts'
import { type Content, NOTHING } from '../../protocol/contents.ts'
import { countWrongKey, isGiven, limitExecution } from '../abuse/attempts.ts'
import { updateAdKey } from '../ads/store/ad-keys.ts'
import { hashesOf } from '../bans/ban-names.ts'
import { findActiveBan } from '../bans/find-ban.ts'
import { bindDevice, listDevices, type Visit } from '../devices/bindings.ts'
import type { Device } from '../devices/device-data.ts'
import type { DeviceMatch, KnownDevice } from '../devices/recognition.ts'
import { type LearnedMembership, learnMembership, membershipOf } from '../discord/membership.ts'
import { isOwnerServed } from '../key-validity/blacklist.ts'
import { isInGrace, runStatus } from '../key-validity/clocks.ts'
import { featuresOf } from '../key-validity/terms.ts'
import { findRunningUser, lockUser, type UserRow, updateUser } from '../keys/store/users.ts'
import { findPlanOf, type PlanRow } from '../plans/store.ts'
import { keyAsIssued } from '../projects/key-formats.ts'
import { type CheckableRow, findCheckable } from '../projects/store/projects.ts'
import { loadContent } from '../sessions/contents.ts'
import { type SentLabels, sentLabels } from '../sessions/user-attributes.ts'
import { beginWaiting } from './count-use.ts'
import { isLockedOut, readUser } from './facts.ts'
import { type Facts, judgeFacts } from './verdict.ts'

export type KeyCheck = {
  readonly project: CheckableRow
  readonly key: string
  /** Hashed by the client. Used for the rate limit per device. */
  readonly fp: Hello['fp']
  readonly device: Device
  /** Binds the device if the key has none yet. */
  readonly claim: boolean
}

export type CheckVerdict = {
  readonly denial: Denial | undefined
  readonly user: UserRow | null
  readonly plan: PlanRow | null
  readonly known: readonly KnownDevice[]
  /** Undefined if no user was found. */
  readonly match: DeviceMatch | undefined
  readonly content?: Content | undefined
}

/** The executor name for a device bound by a check. */
const SOFTWARE = 'software'

/**
 * Finds the project of a check. Returns the same error for projects that don't allow checks as for missing
 * ones.
 */
export async function findChecked(deps: Deps, id: string): Promise<CheckableRow | Refused<'not_found'>> {
  // PostgreSQL raises an error for strings with null characters.
  const isId = /^[\w-]{1,64}$/.test(id)
  const project = isId ? await findCheckable(deps.db.readPoint, id) : null
  return project?.allow_checks === 1
    ? project
    : refuseMissing(`Project ${shownId(id)} does not exist, or its allow_checks is false`)
}

export async function checkKey(deps: Deps, asked: KeyCheck, address: string): Promise<CheckVerdict> {
  const { project, fp } = asked
  const key = keyAsIssued(project.key_format, asked.key)
  const check = { ...asked, key }
  const user = isGiven(key) ? await findRunningUser(deps.db.readPoint, project.id, key) : null
  const attempt = { project: project.id, key, fp, isKnownKey: user !== null }
  const limited = await limitExecution(deps, attempt, address)
  if (limited) return denyNobody(limited)
  const learned = await learnMembership(deps, { ...project, project_id: project.id }, user)
  const judged = await judge(deps, check, { project, user, address, learned })
  if (judged.denial?.reason === 'invalid_key') await countWrongKey(deps, attempt, address)
  const content = judged.denial ? undefined : await loadContent(deps, deps.db.readPoint, placeOf(project))
  return { ...judged, content }
}

/** The verdict on an attempt whose key wasn't looked up. */
export function denyNobody(denied: Denial): CheckVerdict {
  return { denial: denied, user: null, plan: null, known: [], match: undefined }
}

function placeOf({ id, content_revision }: CheckableRow) {
  return { project_id: id, content_revision }
}

type CheckPlace = {
  readonly project: CheckableRow
  readonly user: UserRow | null
  readonly address: string
  readonly learned: LearnedMembership
}

async function judge(deps: Deps, { key, device, claim }: KeyCheck, place: CheckPlace): Promise<CheckVerdict> {
  const first = await look(deps, deps.db.readPoint, { ...place, device })
  if (first.denial || !first.user || !claim || !isClaimable(first, device)) return first
  return deps.db.transaction(async (tx) => {
    const user = await lockUser(tx, place.project.id, key)
    const again = await look(deps, tx, { ...place, user, device })
    if (again.denial || !again.user || !isClaimable(again, device)) return again
    const bound = await bind(tx, deps, { ...again, user: again.user }, { device, address: place.address })
    return { ...again, user: bound, match: 'same' }
  })
}

function isClaimable({ user, match }: CheckVerdict, { components }: Device): boolean {
  return user?.use_fingerprint === 1 && match === 'unbound' && components.length > 0
}

type CheckLook = CheckPlace & { readonly device: Device }

async function look(deps: Deps, db: Queries, asked: CheckLook): Promise<CheckVerdict> {
  const { project, user, address, device, learned } = asked
  const known = user?.use_fingerprint ? await listDevices(db, user) : []
  const from = { network: prefixOf(address), now: deps.now() }
  const isNetworkLocked = user !== null && (await isLockedOut(db, user, from))
  const plan = user && (await findPlanOf(db, user))
  // A check involves no script, so an expired key keeps no version.
  const place = { now: from.now, plan, scriptId: undefined, isNetworkLocked, kept: null }
  const membership = user ? membershipOf(learned, user) : 'missing'
  const seen = user ? readUser(user, { ...place, device, known, live: 0, membership }) : undefined
  const question = { projectId: project.id, bans: project.bans, now: from.now }
  const shown = { hashes: hashesOf(device), address, chatId: user?.chat_id }
  const ban = await findActiveBan(db, question, shown)
  const verdict = judgeFacts({ ...factsOf(deps, { project, device }, seen), ban })
  const denied = verdict.granted ? undefined : denial(verdict.reason, verdict.extras)
  return { denial: denied, user, plan, known, match: seen?.device }
}

/** Builds the verdict's input for a run without script rules, on a host that supports everything. */
function factsOf(
  deps: Deps,
  { project, device }: Pick<CheckLook, 'project' | 'device'>,
  user: Facts['user'],
): Omit<Facts, 'ban'> {
  const now = deps.now()
  return {
    now,
    isLoaderOutdated: false,
    isScriptNamedRightly: true,
    host: { canHoldSession: true, isDeviceAmbiguous: device.isAmbiguous },
    script: {
      enabled: true,
      disabled_message: null,
      free_for_all: false,
      require_sessions: false,
      executor_rule: null,
    },
    project: {
      allow_fingerprint_resets: project.allow_fingerprint_resets === 1,
      fingerprint_reset_cooldown: project.fingerprint_reset_cooldown,
      require_chat: project.require_chat === 1,
      require_join_chat_server: project.require_join_chat_server === 1,
      guests_need_device: false,
    },
    isOwnerServed: isOwnerServed(project, { now, graceMs: deps.config.graceMs }),
    // A check starts no instance, so `max_instances` does not apply.
    user: user && { ...user, max_instances: null },
    keyless: { blacklist: undefined, isOverLimit: false, isDeviceMissing: false },
  }
}

async function bind(
  tx: Queries,
  deps: Deps,
  { user, plan, known }: CheckVerdict & { readonly user: UserRow },
  from: Pick<Visit, 'device' | 'address'>,
): Promise<UserRow> {
  const now = deps.now()
  const bound = await bindDevice(tx, deps, { user, plan, known, ...from, executor: SOFTWARE, now })
  const changes = { ...beginWaiting(user, plan, now), ...bound }
  await updateUser(tx, user.project_id, user.key, changes)
  // The lock of an earned key usually ends with its first execution, but a check doesn't count as one.
  if (user.ad_system_id !== null) await updateAdKey(tx, user, { locked_network: null, locked_until: null })
  return { ...user, ...changes }
}

/**
 * Returns the response to a key check. If the key is denied, the response contains the denial but no data
 * about the key.
 */
export function describeCheck(
  deps: Pick<Deps, 'now'>,
  { denial: denied, user, plan, match, content }: CheckVerdict,
) {
  const shown = denied ? null : user
  const grace = plan?.grace ?? null
  const sent: SentLabels = shown === null ? {} : sentLabels(shown)
  const selection = content?.select({ scriptId: undefined, planId: plan?.id ?? null }) ?? NOTHING
  return {
    success: denied === undefined,
    code: denied ? DENIALS[denied.reason].code : 0,
    reason: denied?.reason ?? 'valid',
    key_expires: shown?.key_expires ?? null,
    executions: shown?.executions ?? null,
    note: shown?.note ?? null,
    bound: shown === null ? null : isBound(shown, match),
    plan: shown === null ? null : (plan?.name ?? null),
    features: shown === null ? null : featuresOf(shown.features, plan?.features ?? null),
    vars: shown === null ? null : selection.vars,
    tags: shown === null ? null : (sent.tags ?? []),
    metadata: sent.metadata ?? null,
    in_grace: shown === null ? null : isInGrace(shown.key_expires, grace, deps.now()),
    status: shown === null ? null : runStatus(shown.key_expires, grace, deps.now()),
    details: denied?.details ?? null,
    retry_after: denied?.retry_after ?? null,
  }
}

/**
 * Returns whether the key is bound to this device. For a key that runs on any device, returns whether it has
 * been bound at all.
 */
function isBound(
  { use_fingerprint, fingerprint_assigned }: UserRow,
  match: DeviceMatch | undefined,
): boolean {
  return use_fingerprint === 1 ? match === 'same' : fingerprint_assigned === 1
}
