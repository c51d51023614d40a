/**
 * Creates, edits, links and removes users. For bulk changes, see `changes/`. For lists, see `lists.ts`. For
 * devices, see `devices/`. `executions/verdict.ts` decides whether a user may run a script.
 */

import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../access/caller.ts'
import { isAccountExpired, isReached, lockAccount } from '../accounts/quotas.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { TierRow } from '../accounts/store/tiers.ts'
import type { UserBan } from '../bans/banned-users.ts'
import { type Changed, changeUsers } from '../changes/apply-change.ts'
import { only } from '../changes/candidates.ts'
import { effectOf } from '../changes/store/effects-by-action.ts'
import { describeFingerprint } from '../devices/manage-devices.ts'
import { isBlacklisted } from '../key-validity/blacklist.ts'
import { findClock, leftInPause } from '../key-validity/clocks.ts'
import { endOfPeriod, usesInPeriod } from '../key-validity/quota-periods.ts'
import { featuresOf, readFeatures } from '../key-validity/terms.ts'
import { findPlanOf, type PlanRow } from '../plans/store.ts'
import { formatOf, type KeyDraft, newKey } from '../projects/key-formats.ts'
import { changeUserCount, countCustomerUsers, lockProject } from '../projects/store/projects.ts'
import type { ProjectSubject, UserSubject } from '../projects/store/subjects.ts'
import { reviewSessions } from '../sessions/reconcile.ts'
import { endSessions, sessionsOf } from '../sessions/sessions.ts'
import { addEvent, eventUser } from '../webhooks/events/events.ts'
import type { UserWithStatus } from './attach-status.ts'
import { nameOfAuthor } from './issue.ts'
import { type Maker, refuseIssued, refuseUnsold } from './issuers.ts'
import { editedLabels, type LabelsDraft, newLabels, readMetadata, readTags } from './labels.ts'
import { reportEdit } from './report-edit.ts'
import {
  countIssuedUsers,
  findUserByChat,
  insertUser,
  lockUser,
  type UserChanges,
  type UserRow,
  updateUser,
} from './store/users.ts'
import { type ChangedTerm, compareTerms, editedTerms, newTerms, type TermsDraft } from './user-terms.ts'

type Account = { readonly customer: CustomerRow; readonly tier: TierRow }

/** An empty string means no value. */
export type UserDraft = TermsDraft &
  LabelsDraft & {
    readonly chat_id?: string
    readonly note?: string | number
  }

/** In addition to the draft's rules, -1 removes a limit and a `blacklist_expires` of 0 means permanent. */
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
  draft: UserDraft & KeyDraft,
  maker?: Maker,
): Promise<
  | string
  | Refused<
      | 'max_users_reached'
      | 'account_expired'
      | 'chat_already_has_key'
      | 'not_found'
      | 'unauthorized'
      | 'invalid_request'
    >
> {
  const now = deps.now()
  const format = formatOf(project, draft)
  if (format instanceof Refused) return format
  const key = newKey(deps.random, format)
  deps.annotateAudit({ nouns: { user_key: key } })
  const { chat_id = null, note = null } = storable(draft)
  const labels = newLabels(draft, { now, by: nameOfAuthor(deps) })
  if (labels instanceof Refused) return labels
  return deps.db.transaction(async (tx) => {
    const account = await lockAccount(tx, customer.id)
    if (account instanceof Refused) return account
    if (isAccountExpired(account.customer, now)) return refuse('account_expired')
    if (await hasAllUsers(tx, account)) return refuse('max_users_reached')
    // Locks the project. It must be locked before the plan, as everywhere else, to prevent deadlocks.
    if (!(await changeUserCount(tx, customer.id, project.id, { users: 1, fromAds: 0 })))
      return refuse('not_found')
    const unsold = await refuseUnsold(tx, project, draft, maker)
    if (unsold) return unsold
    const issuer = maker?.issuer
    const issued = issuer && (await countIssuedUsers(tx, issuer.id))
    const refused = refuseIssued('max_users_reached', issuer, (issued ?? 0) + 1)
    if (refused) return refused
    if (chat_id && (await findUserByChat(tx, project.id, chat_id))) return refuse('chat_already_has_key')
    const terms = await newTerms(tx, project, draft, now)
    if (terms instanceof Refused) return terms
    const row = await insertUser(tx, {
      ...terms,
      ...labels,
      key,
      project_id: project.id,
      chat_id,
      note,
      issuer: issuer?.id ?? null,
      created_at: now,
    })
    const data = { user: eventUser(row), actor: 'owner' } as const
    await addEvent(tx, deps, { type: 'user.created', project_id: project.id, data })
    return key
  })
}

/** Returns the changes to a key's effective terms if its plan or features changed. */
export async function editUser(
  deps: Deps,
  { customer, project, user }: UserSubject,
  edit: UserEdit,
): Promise<
  | readonly ChangedTerm[]
  | Refused<
      'account_expired' | 'chat_already_has_key' | 'cannot_edit_nothing' | 'invalid_request' | 'not_found'
    >
> {
  const now = deps.now()
  if (isAccountExpired(customer, now)) return refuse('account_expired')
  if (edit.blacklist_expires && edit.blacklist_expires <= now) {
    return refuseMember('blacklist_expires', 'must be in the future, or 0 for no expiry')
  }
  const labels = editedLabels(edit)
  if (labels instanceof Refused) return labels
  const edited = await deps.db.transaction(async (tx) => {
    // Locks the project so that two users cannot take the same chat ID.
    if (edit.chat_id && !(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const row = await lockUser(tx, project.id, user.key)
    if (!row) return refuse('not_found')
    const terms = await editedTerms(tx, row, edit, now)
    if (terms instanceof Refused) return terms
    const columns = { ...labels, ...storable(edit), ...storableBlacklist(edit, row, now) }
    const changes = { ...terms.columns, ...terms.clock, ...columns }
    if (Object.keys(changes).length === 0) return refuse('cannot_edit_nothing')
    if (await isChatTaken(tx, row, columns.chat_id)) return refuse('chat_already_has_key')
    const after = await updateUser(tx, project.id, row.key, changes)
    if (!after) return refuse('not_found')
    await reportEdit(tx, deps, { before: row, after, columns: Object.keys(changes) })
    return reportTerms(tx, deps, row, after)
  })
  if (!(edited instanceof Refused)) await reviewSessions(deps, sessionsOf(user))
  return edited
}

/** If neither plan nor features have changed, there is nothing to report. */
async function reportTerms(tx: Queries, deps: Deps, before: UserRow, after: UserRow): Promise<ChangedTerm[]> {
  if (before.plan_id === after.plan_id && before.features === after.features) return []
  const plans = [await findPlanOf(tx, before), await findPlanOf(tx, after)] as const
  const changed = compareTerms({ row: before, plan: plans[0] }, { row: after, plan: plans[1] })
  const features = featuresOf(after.features, plans[1]?.features ?? null)
  const data = { user: eventUser(after), actor: 'owner', plan: plans[1]?.name ?? null, features } as const
  await addEvent(tx, deps, { type: 'user.features_changed', project_id: after.project_id, data })
  return changed
}

/** Without `force`, a user that is already linked keeps its Discord account. */
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

/** Removes a user. Succeeds even if the account is expired or the user has already been removed. */
export async function removeUser(deps: Deps, subject: UserSubject): Promise<Changed> {
  const { user } = subject
  const changed = await changeUsers(deps, subject, {
    action: 'remove',
    effect: effectOf('remove', {}),
    candidates: () => only([user.seq]),
    finish: async (tx, { count }) => {
      const data = { user: eventUser(user), actor: 'owner' } as const
      if (count > 0) await addEvent(tx, deps, { type: 'user.removed', project_id: user.project_id, data })
      return undefined
    },
  })
  await endSessions(deps, sessionsOf(user), 'key_removed')
  // Only changes made in several batches can return an error.
  return changed instanceof Refused ? { count: 0, change_id: null } : changed
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

/**
 * Describes a user for `/v1`. Issuers are not part of the author's team, so they can't see the private note.
 */
export function describeWideUser(
  { user: row, state, plan, ban }: UserWithStatus,
  now: number,
  { issuer }: Pick<Caller, 'issuer'>,
) {
  const clock = findClock(row, plan) ?? null
  return {
    ...describeUser(row, now),
    status: ban ? 'blacklisted' : state.status,
    ban: ban && describeBan(ban),
    plan_id: row.plan_id,
    plan: plan?.name ?? null,
    clock,
    has_own_clock: row.clock_basis === 'creation' || row.clock_basis === 'first_use',
    clock_extra: clock === null ? 0 : row.clock_extra,
    starts_at: row.starts_at,
    paused: describePause(row),
    features: featuresOf(row.features, plan?.features ?? null),
    own_features: readFeatures(row.features),
    quota: describeQuota(row, plan, now),
    tags: readTags(row.tags),
    metadata: readMetadata(row.metadata),
    private_note: issuer ? null : row.private_note,
    issued_to: row.issued_to,
    issued_by: row.issued_by,
    issued_at: row.issued_at,
    foreign_device: row.foreign_device,
    first_used_at: row.first_used_at,
    last_used_at: row.last_used_at,
    max_instances: row.max_instances,
    max_executions: row.max_executions,
    max_devices: row.max_devices,
    match: row.device_match,
    use_fingerprint: row.use_fingerprint === 1,
    ad_system_id: row.ad_system_id,
    created_at: row.created_at,
    project_id: row.project_id,
    issuer: row.issuer,
    shared: state.shared === 1,
    networks: state.networks,
    refused_devices: state.refused_devices,
  }
}

function describeBan({ id, kind, value, reason, expires }: UserBan) {
  return { id, kind, value, reason, expires }
}

/** `left` is the time restored on resume, or null if the key never expires or is waiting for first use. */
function describePause(row: UserRow) {
  return row.paused_at === null ? null : { since: row.paused_at, left: leftInPause(row) }
}

function describeQuota(row: UserRow, plan: PlanRow | null, now: number) {
  const { quota_count: count, quota_period: period } = plan ?? {}
  if (!count || !period) return null
  return { count, period, used: usesInPeriod(row, period, now), resets_at: endOfPeriod(period, now) }
}

function hasAllUsers(tx: Queries, { customer, tier }: Account): Promise<boolean> {
  return isReached(tier.max_users, async () => (await countCustomerUsers(tx, customer.id)).ordinary)
}

async function isChatTaken(tx: Queries, row: UserRow, chatId: string | null | undefined): Promise<boolean> {
  if (!chatId || chatId === row.chat_id) return false
  return (await findUserByChat(tx, row.project_id, chatId)) !== undefined
}

/** Converts the fields in the request to columns. */
function storable(edit: UserEdit): UserChanges {
  return defined({
    chat_id: when(edit.chat_id, textOrNull),
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
