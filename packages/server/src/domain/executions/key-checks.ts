/**
 * Answers other software whether a key is valid on a device (client protocol §19): the checks of an execution that do not
 * concern a script, in the same order. Nothing is counted; a device is bound only on request.
 */
import { createHash } from 'node:crypto'
import { signCheck } from '@scriptward/client/check-answers'
import { DENIALS, type Denial, denial } from '@scriptward/client/messages'
import type { Deps } from '../../deps.ts'
import { prefixOf } from '../../limits/networks.ts'
import type { Queries } from '../../store/engine/db.ts'
import { type CheckableRow, findCheckable } from '../../store/tables/projects.ts'
import { insertUserFingerprints, listUserFingerprints } from '../../store/tables/user-fingerprints.ts'
import { findRunningUser, lockUser, type UserRow, updateUser } from '../../store/tables/users.ts'
import { countWrongKey, isGiven, limitExecution } from '../attempts.ts'
import { isOwnerServed } from '../blacklist.ts'
import { reportedMembers } from '../projects/chat-members.ts'
import { type Refused, refuse } from '../refusals.ts'
import { type Component, type Device, hashedDevice, maskDevice, newComponents } from '../users/devices.ts'
import { isLockedOut, readUser } from './facts.ts'
import { type Facts, judgeFacts } from './verdict.ts'

export type KeyCheck = {
  readonly project_id: string
  readonly key: string
  /** The component `machine_id` of the device; null for software that knows no device. */
  readonly fingerprint: string | null
  readonly nonce: string
  /** Binds the device when the key has none yet. */
  readonly claim: boolean
}

/** The answer as it was signed, and the signature in base64url. */
export type SignedAnswer = { readonly text: string; readonly signature: string }

type CheckVerdict = {
  readonly denial: Denial | undefined
  readonly user: UserRow | null
  readonly bound: readonly Component[]
}

/** Shown as the executor of a device that was bound by a check. */
const SOFTWARE = 'software'

export async function checkKey(
  deps: Deps,
  question: KeyCheck,
  address: string,
): Promise<SignedAnswer | Refused<'not_found'>> {
  // PostgreSQL rejects some texts that cannot be ids.
  const isId = /^[\w-]{1,64}$/.test(question.project_id)
  const project = isId ? await findCheckable(deps.db.readPoint, question.project_id) : null
  // A project that does not allow checks is answered like one that does not exist.
  if (project?.allow_checks !== 1) return refuse('not_found')
  const { key, fingerprint } = question
  const user = isGiven(key) ? await findRunningUser(deps.db.readPoint, project.id, key) : null
  const attempt = { project: project.id, key, fp: deviceOf(fingerprint), isKnownKey: user !== null }
  const limited = await limitExecution(deps, attempt, address)
  if (limited) return sign(deps, question, { denial: limited, user: null, bound: [] })
  const judged = await judge(deps, question, { project, user, address })
  if (judged.denial?.reason === 'invalid_key') await countWrongKey(deps, attempt, address)
  return sign(deps, question, judged)
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
    return { ...again, user: await bind(tx, again.user, { device, address: place.address }) }
  })
}

function isClaimable({ user, bound }: CheckVerdict, { components }: Device): boolean {
  return user?.use_fingerprint === 1 && bound.length === 0 && components.length > 0
}

type CheckLook = CheckPlace & { readonly device: Device }

async function look(deps: Deps, db: Queries, asked: CheckLook): Promise<CheckVerdict> {
  const { project, user, address, device } = asked
  const bound = user?.use_fingerprint ? await listUserFingerprints(db, user) : []
  const isChatMember =
    project.require_join_chat_server === 1 &&
    typeof user?.chat_id === 'string' &&
    (await reportedMembers.isMember(db, project.id, user.chat_id))
  const from = { network: prefixOf(address), now: deps.now() }
  const isNetworkLocked = user !== null && (await isLockedOut(db, user, from))
  const seen = user ? readUser(user, { device, bound, live: 0, isChatMember, isNetworkLocked }) : undefined
  const verdict = judgeFacts(factsOf(deps, project, seen))
  return { denial: verdict.granted ? undefined : denial(verdict.reason, verdict.extras), user, bound }
}

/** As for a run without any script's rules, on a host that supports everything. */
function factsOf(deps: Deps, project: CheckableRow, user: Facts['user']): Facts {
  const now = deps.now()
  return {
    now,
    isLoaderOutdated: false,
    isScriptNamedRightly: true,
    host: { canHoldSession: true, isDeviceAmbiguous: false },
    script: { enabled: true, free_for_all: false, require_sessions: false },
    project: {
      allow_fingerprint_resets: project.allow_fingerprint_resets === 1,
      fingerprint_reset_cooldown: project.fingerprint_reset_cooldown,
      require_chat: project.require_chat === 1,
      require_join_chat_server: project.require_join_chat_server === 1,
      guests_need_device: false,
    },
    isOwnerServed: isOwnerServed(project, { now, graceMs: deps.config.graceMs }),
    // A check starts no instance, so the maximum of instances does not apply.
    user: user && { ...user, max_instances: null },
    keyless: { blacklist: undefined, isOverLimit: false, isDeviceMissing: false },
  }
}

async function bind(
  tx: Queries,
  user: UserRow,
  { device, address }: { readonly device: Device; readonly address: string },
): Promise<UserRow> {
  const { key, project_id } = user
  const changes = {
    fingerprint_assigned: 1,
    fingerprint_display: JSON.stringify(maskDevice(device, address, SOFTWARE)),
  } as const
  await updateUser(tx, project_id, key, changes)
  const added = newComponents([], device)
  await insertUserFingerprints(
    tx,
    added.map((one) => ({ ...one, user_key: key, project_id })),
  )
  return { ...user, ...changes }
}

/** A denied answer shows nothing of the key beyond the denial itself. */
function sign(deps: Deps, question: KeyCheck, { denial: denied, user }: CheckVerdict): SignedAnswer {
  const shown = denied ? null : user
  const text = JSON.stringify({
    success: denied === undefined,
    code: denied ? DENIALS[denied.reason].code : 0,
    reason: denied?.reason ?? 'valid',
    key_expires: shown?.key_expires ?? null,
    executions: shown?.executions ?? null,
    note: shown?.note ?? null,
    bound: shown === null ? null : shown.fingerprint_assigned === 1,
    details: denied?.details ?? null,
    retry_after: denied?.retry_after ?? null,
    nonce: question.nonce,
    asked: digestOf(question),
    st: deps.now(),
  })
  return { text, signature: signCheck(deps.secrets.server.signing.privateKey, text) }
}

/** Ties the answer to the request, so that it cannot be replayed for another key. */
function digestOf({ project_id, key, fingerprint, nonce }: KeyCheck): string {
  const text = ['lp1 asked', project_id, key, fingerprint ?? '', nonce].join('\0')
  return createHash('sha256').update(text).digest('base64url')
}

function deviceOf(fingerprint: string | null): Readonly<Record<string, string>> {
  return fingerprint === null ? {} : { machine_id: fingerprint }
}
