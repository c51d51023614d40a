/**
 * Checks for other software whether a key is valid on a device (client protocol §19). The checks are those of an
 * execution, in the same order, without the script checks. Nothing is counted, and a device is bound only on request.
 */
import { createHash } from 'node:crypto'
import { signCheck } from '@scriptward/client/check-answers'
import { DENIALS, type Denial, denial } from '@scriptward/client/messages'
import { type Refused, refuseMissing, shownId } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { prefixOf } from '../../platform/limits/networks.ts'
import { type Content, NOTHING } from '../../protocol/contents.ts'
import { countWrongKey, isGiven, limitExecution } from '../abuse/attempts.ts'
import { hashesOf } from '../bans/ban-names.ts'
import { findActiveBan } from '../bans/find-ban.ts'
import { bindDevice, listDevices, type Visit } from '../devices/bindings.ts'
import { type Device, hashedDevice } from '../devices/devices.ts'
import type { DeviceMatch, KnownDevice } from '../devices/recognition.ts'
import { isOwnerServed } from '../key-validity/blacklist.ts'
import { isInGrace, runStatus } from '../key-validity/clocks.ts'
import { featuresOf } from '../key-validity/terms.ts'
import { findRunningUser, lockUser, type UserRow, updateUser } from '../keys/store/users.ts'
import { findPlanOf, type PlanRow } from '../plans/store.ts'
import { reportedMembers } from '../projects/chat-members.ts'
import { type CheckableRow, findCheckable } from '../projects/store/projects.ts'
import { loadContent } from '../sessions/contents.ts'
import { type SentLabels, sentLabels } from '../sessions/user-attributes.ts'
import { beginWaiting } from './count-use.ts'
import { isLockedOut, readUser } from './facts.ts'
import { type Facts, judgeFacts } from './verdict.ts'

export type KeyCheck = {
  readonly project_id: string
  readonly key: string
  /** The device's `machine_id` component; null if the software does not identify devices. */
  readonly fingerprint: string | null
  readonly nonce: string
  /** Binds the device if the key has none yet. */
  readonly claim: boolean
}

/** The exact signed text and its signature in base64url. */
export type SignedAnswer = { readonly text: string; readonly signature: string }

type CheckVerdict = {
  readonly denial: Denial | undefined
  readonly user: UserRow | null
  readonly plan: PlanRow | null
  readonly known: readonly KnownDevice[]
  /** Undefined if no user was found. */
  readonly match: DeviceMatch | undefined
  readonly content?: Content | undefined
}

const NOBODY = { user: null, plan: null, known: [], match: undefined } as const

/** The executor name for a device bound by a check. */
const SOFTWARE = 'software'

export async function checkKey(
  deps: Deps,
  question: KeyCheck,
  address: string,
): Promise<SignedAnswer | Refused<'not_found'>> {
  // PostgreSQL raises an error for strings with null characters.
  const isId = /^[\w-]{1,64}$/.test(question.project_id)
  const project = isId ? await findCheckable(deps.db.readPoint, question.project_id) : null
  // A project that does not allow checks gets the same answer as a missing one.
  if (project?.allow_checks !== 1)
    return refuseMissing(
      `Project ${shownId(question.project_id)} does not exist, or its allow_checks is false`,
    )
  const { key, fingerprint } = question
  const user = isGiven(key) ? await findRunningUser(deps.db.readPoint, project.id, key) : null
  const attempt = { project: project.id, key, fp: deviceOf(fingerprint), isKnownKey: user !== null }
  const limited = await limitExecution(deps, attempt, address)
  if (limited) return sign(deps, question, { denial: limited, ...NOBODY })
  const judged = await judge(deps, question, { project, user, address })
  if (judged.denial?.reason === 'invalid_key') await countWrongKey(deps, attempt, address)
  const content = judged.denial ? undefined : await loadContent(deps, deps.db.readPoint, placeOf(project))
  return sign(deps, question, { ...judged, content })
}

function placeOf({ id, content_revision }: CheckableRow) {
  return { project_id: id, content_revision }
}

type CheckPlace = {
  readonly project: CheckableRow
  readonly user: UserRow | null
  readonly address: string
}

async function judge(deps: Deps, question: KeyCheck, place: CheckPlace): Promise<CheckVerdict> {
  const device = hashedDevice(deps.secrets.fingerprintPepper, deviceOf(question.fingerprint))
  const first = await look(deps, deps.db.readPoint, { ...place, device })
  if (first.denial || !first.user || !question.claim || !isClaimable(first, device)) return first
  return deps.db.transaction(async (tx) => {
    const user = await lockUser(tx, place.project.id, question.key)
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
  const { project, user, address, device } = asked
  const known = user?.use_fingerprint ? await listDevices(db, user) : []
  const isChatMember =
    project.require_join_chat_server === 1 &&
    typeof user?.chat_id === 'string' &&
    (await reportedMembers.isMember(db, project.id, user.chat_id))
  const from = { network: prefixOf(address), now: deps.now() }
  const isNetworkLocked = user !== null && (await isLockedOut(db, user, from))
  const plan = user && (await findPlanOf(db, user))
  // A check has no script, so an expired key has no version to keep.
  const place = { now: from.now, plan, scriptId: undefined, isChatMember, isNetworkLocked, kept: null }
  const seen = user ? readUser(user, { ...place, device, known, live: 0 }) : undefined
  const question = { projectId: project.id, bans: project.bans, now: from.now }
  const shown = { hashes: hashesOf(device), address, chatId: user?.chat_id }
  const ban = await findActiveBan(db, question, shown)
  const verdict = judgeFacts({ ...factsOf(deps, project, seen), ban })
  const denied = verdict.granted ? undefined : denial(verdict.reason, verdict.extras)
  return { denial: denied, user, plan, known, match: seen?.device }
}

/** Builds the facts of a run without script rules, on a host that supports everything. */
function factsOf(deps: Deps, project: CheckableRow, user: Facts['user']): Omit<Facts, 'ban'> {
  const now = deps.now()
  return {
    now,
    isLoaderOutdated: false,
    isScriptNamedRightly: true,
    host: { canHoldSession: true, isDeviceAmbiguous: false },
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
  return { ...user, ...changes }
}

/** A denied answer contains no key data beyond the denial. */
function sign(
  deps: Deps,
  question: KeyCheck,
  { denial: denied, user, plan, match, content }: CheckVerdict,
): SignedAnswer {
  const shown = denied ? null : user
  const grace = plan?.grace ?? null
  const sent: SentLabels = shown === null ? {} : sentLabels(shown)
  const selection = content?.select({ scriptId: undefined, planId: plan?.id ?? null }) ?? NOTHING
  const text = JSON.stringify({
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
    nonce: question.nonce,
    asked: digestOf(question),
    st: deps.now(),
  })
  return { text, signature: signCheck(deps.secrets.server.signing.privateKey, text) }
}

/** Returns whether the key is bound to this device or, if it runs on any device, whether it has been bound at all. */
function isBound(
  { use_fingerprint, fingerprint_assigned }: UserRow,
  match: DeviceMatch | undefined,
): boolean {
  return use_fingerprint === 1 ? match === 'same' : fingerprint_assigned === 1
}

/** Binds the answer to the request, so that it cannot be replayed for another key. */
function digestOf({ project_id, key, fingerprint, nonce }: KeyCheck): string {
  const text = ['lp1 asked', project_id, key, fingerprint ?? '', nonce].join('\0')
  return createHash('sha256').update(text).digest('base64url')
}

function deviceOf(fingerprint: string | null): Readonly<Record<string, string>> {
  return fingerprint === null ? {} : { machine_id: fingerprint }
}
