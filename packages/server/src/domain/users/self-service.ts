/**
 * Self-service: what a user can see and do with nothing but their key: its state, unbinding the device as far as the
 * project allows, ending their own sessions. Owners do this through the API (`fingerprints.ts`, `sessions.ts`).
 */
import type { Deps } from '../../deps.ts'
import { networkOf } from '../../limits/networks.ts'
import type { Limit } from '../../limits/rules.ts'
import type { Session } from '../../sessions/session.ts'
import type { Queries } from '../../store/engine/db.ts'
import { listScriptNames } from '../../store/tables/scripts.ts'
import { findKeySubject, listKeySubjects, type UserSubject } from '../../store/tables/subjects.ts'
import { isBlacklisted } from '../blacklist.ts'
import { type Refused, refuse } from '../refusals.ts'
import { disconnectSession, sessionsOf } from '../sessions/sessions.ts'
import { maskKey } from '../webhooks/chat-text.ts'
import { describeFingerprint, refuseReset, resetFingerprint } from './fingerprints.ts'

/** Whether the device can be unbound now, and if not, why. */
export type OwnReset =
  | { readonly kind: 'possible' | 'disabled' | 'unbound' | 'any_device' | 'blacklisted' }
  | { readonly kind: 'cooldown'; readonly retry_at: number }

export type OwnSession = Pick<Session, 'id' | 'executor' | 'state' | 'created_at'> & {
  readonly script_name: string
}

/** A key as its holder sees it. Times are milliseconds. */
export type OwnKey = {
  readonly project_name: string
  readonly masked_key: string
  readonly state: 'active' | 'expired' | 'blacklisted'
  readonly key_expires: number | null
  readonly blacklist: { readonly reason: string | null; readonly expires: number | null } | undefined
  readonly executions: number
  readonly max_executions: number | null
  /** The lines that owners see too, masked; empty while no device is bound. */
  readonly device: readonly string[]
  readonly last_reset: number
  readonly reset: OwnReset
  readonly sessions: readonly OwnSession[]
}

/** No key of this service is longer, so the database need not be asked. */
const MAX_KEY_LENGTH = 128
/** Sessions that are shown. */
const MAX_SESSIONS = 50

/** Counts a request of an address, whatever key comes with it. */
export async function limitSelfService(
  { limits, now }: Deps,
  address: string,
): Promise<Refused<'rate_limited'> | undefined> {
  const network = networkOf(address)
  return tooMany(await limits.attempts.takeAttempt('ownPageAddress', network, now()))
}

/** `project` is the id of a project; without one the key is looked for in all of them. */
export type OwnName = { readonly key: string; readonly project: string | undefined }

/**
 * The user of this key. A key alone may be one of several customers: `several` asks for the project, and tells nothing of
 * them. Unknown keys count against the address that tried them, and too many of them pause it for other unknown keys: a
 * key that exists opens its page whatever was tried beside it.
 */
export async function findOwn(
  deps: Deps,
  name: OwnName,
  address: string,
): Promise<UserSubject | 'several' | Refused<'rate_limited'> | undefined> {
  const { limits, now, db } = deps
  if (name.key === '') return undefined
  const found = name.key.length <= MAX_KEY_LENGTH ? await listOwn(db.readPoint, name) : []
  if (found.length > 1) return 'several'
  if (found.length === 1) return found[0]
  const page = pageOf(networkOf(address))
  const paused = tooMany(await limits.attempts.pauseOf(page, now()))
  if (paused === undefined) await limits.attempts.countWrongKey(page, now())
  return paused
}

async function listOwn(db: Queries, { key, project }: OwnName): Promise<UserSubject[]> {
  if (project === undefined) return listKeySubjects(db, key, 2)
  const subject = await findKeySubject(db, project, key)
  return subject ? [subject] : []
}

export async function describeOwn(deps: Deps, { customer, project, user }: UserSubject): Promise<OwnKey> {
  const now = deps.now()
  const banned = isBlacklisted(user, now)
  const isExpired = user.key_expires !== null && user.key_expires <= now
  const sessions = await deps.sessions.network.list(sessionsOf(user), { limit: MAX_SESSIONS })
  const names = sessions.length === 0 ? [] : await listScriptNames(deps.db.read, customer.id, project.id)
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  return {
    project_name: project.name,
    masked_key: maskKey(user.key),
    state: banned ? 'blacklisted' : isExpired ? 'expired' : 'active',
    key_expires: user.key_expires,
    blacklist: banned ? { reason: user.blacklist_reason, expires: user.blacklist_expires } : undefined,
    executions: user.executions,
    max_executions: user.max_executions,
    device: describeFingerprint(user).split('\n').filter(Boolean),
    last_reset: user.last_reset,
    reset: resetOf({ customer, project, user }, now),
    sessions: sessions.map(({ id, executor, state, created_at, script_id }) => ({
      ...{ id, executor, state, created_at },
      script_name: nameOf.get(script_id) ?? script_id,
    })),
  }
}

export async function resetOwnFingerprint(deps: Deps, subject: UserSubject) {
  const limited = await limitKey(deps, 'ownReset', subject)
  if (limited) return limited
  return resetFingerprint(deps, subject, { actor: 'user', force: false })
}

/** A session of another user is answered like one that does not exist. */
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

function resetOf({ project, user }: UserSubject, now: number): OwnReset {
  if (isBlacklisted(user, now)) return { kind: 'blacklisted' }
  if (user.use_fingerprint === 0) return { kind: 'any_device' }
  if (user.fingerprint_assigned === 0) return { kind: 'unbound' }
  const refused = refuseReset(project, user, now)
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

/** Counted apart from clients: a typing error here must not stop scripts that run at the same address. */
function pageOf(network: string): string {
  return `page ${network}`
}
