/**
 * Users of a project: create, edit, link and remove one. Many at once are in `user-bulk.ts`, lists in `user-lists.ts`,
 * fingerprints in `fingerprints.ts`; whether a user may run a script is decided in `verdict.ts`.
 */
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import type { CustomerRow } from '../../store/tables/customers.ts'
import {
  changeUserCount,
  countCustomerUsers,
  lockProject,
  type UserChange,
} from '../../store/tables/projects.ts'
import type { ProjectSubject, UserSubject } from '../../store/tables/subjects.ts'
import type { TierRow } from '../../store/tables/tiers.ts'
import {
  countIssuedUsers,
  deleteUser,
  findUserByChat,
  insertUser,
  lockUser,
  type UserChanges,
  type UserRow,
  updateUser,
} from '../../store/tables/users.ts'
import type { Issuer } from '../access/caller.ts'
import { newUserKey } from '../accounts/credentials.ts'
import { isAccountExpired, isReached, lockAccount } from '../accounts/quotas.ts'
import { isBlacklisted } from '../blacklist.ts'
import { Refused, refuse, refuseMember } from '../refusals.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { endSessions, sessionsOf } from '../sessions/sessions.ts'
import { addEvent, eventUser } from '../webhooks/events.ts'
import { describeFingerprint } from './fingerprints.ts'
import { refuseIssued } from './issuers.ts'
import type { UserOfStatus } from './statuses.ts'

type Account = { readonly customer: CustomerRow; readonly tier: TierRow }

/** Texts may be empty, which means none; a `key_expires` of 0 means never. */
export type UserDraft = {
  readonly chat_id?: string
  readonly key_expires?: number
  readonly note?: string | number
}

/** Besides the draft's rules: -1 takes a limit away, and a `blacklist_expires` of 0 is for ever. */
export type UserEdit = UserDraft & {
  readonly max_instances?: number
  readonly max_executions?: number
  readonly use_fingerprint?: boolean
  readonly blacklist_expires?: number
  readonly blacklist_reason?: string | number
}

export async function createUser(
  deps: Deps,
  { customer, project }: ProjectSubject,
  draft: UserDraft,
  issuer?: Issuer,
): Promise<
  | string
  | Refused<'max_users_reached' | 'account_expired' | 'chat_already_has_key' | 'not_found' | 'unauthorized'>
> {
  const now = deps.now()
  const key = newUserKey(deps.random)
  deps.note({ nouns: { user_key: key } })
  const { chat_id = null, key_expires = null, note = null } = storable(draft)
  return deps.db.transaction(async (tx) => {
    const account = await lockAccount(tx, customer.id)
    if (account instanceof Refused) return account
    if (isAccountExpired(account.customer, now)) return refuse('account_expired')
    if (await hasAllUsers(tx, account)) return refuse('max_users_reached')
    const issued = issuer && (await countIssuedUsers(tx, issuer.id))
    const refused = refuseIssued('max_users_reached', issuer, (issued ?? 0) + 1)
    if (refused) return refused
    if (!(await changeUserCount(tx, customer.id, project.id, { users: 1, fromAds: 0 })))
      return refuse('not_found')
    if (chat_id && (await findUserByChat(tx, project.id, chat_id))) return refuse('chat_already_has_key')
    const row = await insertUser(tx, {
      key,
      project_id: project.id,
      chat_id,
      key_expires,
      note,
      issuer: issuer?.id ?? null,
      created_at: now,
    })
    const data = { user: eventUser(row), actor: 'owner' } as const
    await addEvent(tx, deps, { type: 'user.created', project_id: project.id, data })
    return key
  })
}

export async function editUser(
  deps: Deps,
  { customer, project, user }: UserSubject,
  edit: UserEdit,
): Promise<
  | undefined
  | Refused<
      'account_expired' | 'chat_already_has_key' | 'cannot_edit_nothing' | 'invalid_request' | 'not_found'
    >
> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  if (edit.blacklist_expires && edit.blacklist_expires <= now) {
    return refuseMember('blacklist_expires', 'must be in the future, or 0 for ever')
  }
  const refused = await deps.db.transaction(async (tx) => {
    // Locks the project, so that two users cannot take one chat id.
    if (edit.chat_id && !(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    const changes = { ...storable(edit), ...storableBlacklist(edit, row, now) }
    if (Object.keys(changes).length === 0) return refuse('cannot_edit_nothing')
    if (await isChatTaken(tx, row, changes.chat_id)) return refuse('chat_already_has_key')
    await updateUser(tx, project.id, row.key, changes)
    return undefined
  })
  if (!refused) await reviewSessions(deps, sessionsOf(user))
  return refused
}

/** Not forced, a user who has a chat account keeps it. */
export async function linkUser(
  deps: Deps,
  { customer, project, user }: UserSubject,
  { chat_id, force }: { readonly chat_id: string; readonly force: boolean },
): Promise<
  undefined | Refused<'account_expired' | 'user_already_linked' | 'chat_already_has_key' | 'not_found'>
> {
  if (isAccountExpired(customer, deps.now())) return refuse('account_expired')
  const chatId = chat_id.trim()
  const refused = await deps.db.transaction(async (tx) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    if (row.chat_id !== null && !force) return refuse('user_already_linked')
    if (await isChatTaken(tx, row, chatId)) return refuse('chat_already_has_key')
    await updateUser(tx, project.id, row.key, { chat_id: chatId })
    const linked = { user: eventUser({ ...row, chat_id: chatId }), old_chat_id: row.chat_id }
    const data = { ...linked, actor: 'owner', forced: force } as const
    await addEvent(tx, deps, { type: 'user.linked', project_id: project.id, data })
    return undefined
  })
  if (!refused) await reviewSessions(deps, sessionsOf(user))
  return refused
}

/** Succeeds for an expired account too, and for a user who was already removed. */
export async function removeUser(deps: Deps, { customer, project, user }: UserSubject): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const deleted = await deleteUser(tx, project.id, user.key)
    if (deleted) await changeUserCount(tx, customer.id, project.id, departed([deleted]))
  })
  await endSessions(deps, sessionsOf(user), 'key_removed')
}

/** The change of the counts when these are deleted. */
export function departed(deleted: readonly { readonly ad_system_id: string | null }[]): UserChange {
  const fromAds = deleted.filter(({ ad_system_id }) => ad_system_id !== null).length
  return { users: 0 - deleted.length, fromAds: 0 - fromAds }
}

export function describeUser(row: UserRow, now: number) {
  const blacklisted = isBlacklisted(row, now)
  return {
    key: row.key,
    chat_id: row.chat_id,
    fingerprint_assigned: row.fingerprint_assigned === 1,
    executor: row.executor,
    executions: row.executions,
    key_expires: row.key_expires,
    last_reset: row.last_reset,
    total_fingerprint_resets: row.total_fingerprint_resets,
    note: row.note,
    blacklisted,
    blacklist_reason: blacklisted ? row.blacklist_reason : null,
    blacklist_expires: blacklisted ? row.blacklist_expires : null,
    service_fingerprint: describeFingerprint(row),
  }
}

/** The user as `/v1` shows it. */
export function describeWideUser(row: UserOfStatus, now: number) {
  return {
    ...describeUser(row, now),
    status: row.status,
    max_instances: row.max_instances,
    max_executions: row.max_executions,
    use_fingerprint: row.use_fingerprint === 1,
    ad_system_id: row.ad_system_id,
    created_at: row.created_at,
    project_id: row.project_id,
    issuer: row.issuer,
  }
}

function hasAllUsers(tx: Queries, { customer, tier }: Account): Promise<boolean> {
  return isReached(tier.max_users, async () => (await countCustomerUsers(tx, customer.id)).ordinary)
}

async function isChatTaken(tx: Queries, row: UserRow, chatId: string | null | undefined): Promise<boolean> {
  if (!chatId || chatId === row.chat_id) return false
  return (await findUserByChat(tx, row.project_id, chatId)) !== undefined
}

/** The members that were given, as columns. */
function storable(edit: UserEdit): UserChanges {
  return defined({
    chat_id: when(edit.chat_id, textOrNull),
    key_expires: when(edit.key_expires, (time) => time || null),
    note: when(edit.note, textOrNull),
    max_instances: when(edit.max_instances, limitOrNull),
    max_executions: when(edit.max_executions, limitOrNull),
    use_fingerprint: when(edit.use_fingerprint, (use) => (use ? 1 : 0)),
  })
}

/** "Can be edited only when the user is already blacklisted; for a user who is not they are left null." */
function storableBlacklist(edit: UserEdit, row: UserRow, now: number): UserChanges {
  if (!isBlacklisted(row, now)) return {}
  return defined({
    blacklist_expires: when(edit.blacklist_expires, (time) => time || null),
    blacklist_reason: when(edit.blacklist_reason, textOrNull),
  })
}

function when<A, B>(value: A | undefined, change: (value: A) => B): B | undefined {
  return value === undefined ? undefined : change(value)
}

type Defined<T> = { [M in keyof T]?: Exclude<T[M], undefined> }

function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}

const textOrNull = (text: string | number) => String(text).trim() || null
const limitOrNull = (limit: number) => (limit === -1 ? null : limit)
