/**
 * Adds many users to a project, either all of them or none. Up to `SLICE` users fit into one transaction.
 * More users are added in slices, one transaction each, so that other writes can run in between. The change
 * is open and its users are hidden until the last slice has checked the service tier's limit.
 */
import { setImmediate } from 'node:timers/promises'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import { isUniqueViolation } from '../../database/engine/dialect.ts'
import type { Deps } from '../../deps.ts'
import type { Issuer } from '../access/caller.ts'
import { isAccountExpired, isExceeded, lockAccount } from '../accounts/quotas.ts'
import { refuseIssued } from '../keys/issuers.ts'
import type { NewUsers } from '../keys/store/user-bulk.ts'
import { countIssuedUsers } from '../keys/store/users.ts'
import { changeUserCount, countCustomerUsers, lockProject } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { RETRY_AFTER, SLICE, transactionFor, withCustomerLock } from './customer-lock.ts'
import { type Change, type ChangeDraft, newChange, placeOf } from './record-change.ts'
import { insertChange, updateDoneChange } from './store/changes.ts'
import { noteAddedUsers } from './store/trash.ts'
import { removeAddition } from './unfinished-additions.ts'

type TooMany = 'too_many_users_to_import' | 'too_many_keys_to_generate'
export type AdditionRefused<R extends TooMany> = Refused<
  R | 'account_expired' | 'not_found' | 'unauthorized' | 'unavailable' | 'rate_limited'
>

export type Addition<T, R extends TooMany> = {
  /** Set if the caller may issue users but not see all of them. */
  readonly issuer: Issuer | undefined
  /** Number of users in the request. Some of them may not be created. */
  readonly count: number
  /** The error if the service tier does not allow this many users. */
  readonly tooMany: R
  /** Inserts the valid users from index `start` up to, but not including, `end`. Returns their keys. */
  readonly insert: (tx: Queries, place: NewUsers, part: Part) => Promise<readonly string[]>
  /** Reports how many users were added, in the transaction that makes them visible. */
  readonly report: (tx: Queries, added: number) => Promise<T>
  /** Describes the addition in the list of undoable changes. */
  readonly draft: ChangeDraft
}
export type Added = { readonly change_id: string | null }
export type Part = { readonly start: number; readonly end: number }

export async function addUsers<T extends object, R extends TooMany>(
  deps: Deps,
  subject: ProjectSubject,
  addition: Addition<T, R>,
): Promise<(T & Added) | AdditionRefused<R>> {
  const { issuer, count, tooMany } = addition
  const refused = refuseIssued(tooMany, issuer, count)
  if (refused) return refused
  if (count > SLICE) return withCustomerLock(deps, subject, () => addInSlices(deps, subject, addition))
  const place = { projectId: subject.project.id, createdAt: deps.now(), issuer: issuer?.id }
  const part = { start: 0, end: count }
  return retryOnUniqueViolation(() =>
    transactionFor(
      deps.db,
      count,
    )(async (tx) => {
      const refused = await lockQuota(deps, tx, subject)
      if (refused) return refused
      const keys = await addition.insert(tx, place, part)
      const change = changeOf(deps, subject, addition)
      if (keys.length > 0) await noteAdded(deps, tx, change, { seq: undefined, start: 0, keys })
      const value = await complete(tx, subject, addition, keys.length)
      return value instanceof Refused ? value : { ...value, change_id: keys.length > 0 ? change.id : null }
    }),
  )
}

function changeOf(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { draft }: Pick<Addition<object, TooMany>, 'draft'>,
): Change {
  return newChange(deps, { customerId: customer.id, project }, draft)
}

/**
 * Records the users that a slice added. The first call inserts the change. Returns false if the change has
 * ended.
 */
async function noteAdded(
  deps: Deps,
  tx: Queries,
  change: Change,
  {
    seq,
    start,
    keys,
  }: { readonly seq: number | undefined; readonly start: number; readonly keys: readonly string[] },
): Promise<boolean> {
  const place = await placeOf(tx, change, { seq, slice: start + 1, keys, now: deps.now() })
  if (place === undefined) return false
  await noteAddedUsers(tx, place, keys)
  return true
}

async function addInSlices<T extends object, R extends TooMany>(
  deps: Deps,
  subject: ProjectSubject,
  addition: Addition<T, R>,
): Promise<(T & Added) | AdditionRefused<R>> {
  const change = changeOf(deps, subject, addition)
  const seq = await deps.unauditedDb.transaction((tx) => openChange(deps, tx, subject, change))
  if (seq instanceof Refused) return seq
  const opened = { seq, project_id: subject.project.id }
  let value: T | AdditionRefused<R>
  try {
    value = await fillChange({ deps, subject, change, seq }, addition)
  } catch (error) {
    // If the database fails here too, the pruning job deletes the rest.
    await removeAddition(deps, opened).catch(() => {})
    throw error
  }
  if (!(value instanceof Refused)) return { ...value, change_id: change.id }
  await removeAddition(deps, opened)
  return value
}

async function openChange(deps: Deps, tx: Queries, subject: ProjectSubject, { row }: Change) {
  const refused = await lockQuota(deps, tx, subject)
  if (refused) return refused
  const seq = await insertChange(tx, { ...row, state: 'open' })
  return seq ?? refuse('rate_limited', { retry_after: RETRY_AFTER })
}

type Filling = {
  readonly deps: Deps
  readonly subject: ProjectSubject
  readonly change: Change
  readonly seq: number
}

async function fillChange<T extends object, R extends TooMany>(
  filling: Filling,
  addition: Addition<T, R>,
): Promise<T | AdditionRefused<R>> {
  let added = 0
  for (let start = 0; start < addition.count; start += SLICE) {
    const part = { start, end: Math.min(start + SLICE, addition.count) }
    const inserted = await retryOnUniqueViolation(() => insertSlice(filling, addition, part))
    if (inserted instanceof Refused) return inserted
    added += inserted
    await setImmediate()
  }
  const { deps, subject, seq } = filling
  return deps.db.transaction(async (tx) => {
    const refused = await lockQuota(deps, tx, subject)
    if (refused) return refused
    if (!(await updateDoneChange(tx, seq))) return refuse('unavailable', { retry_after: RETRY_AFTER })
    return complete(tx, subject, addition, added)
  })
}

/** Locks the project before the change, in the same order as the removal of a project does. */
function insertSlice(
  { deps, subject, change, seq }: Filling,
  { insert, issuer }: Pick<Addition<object, TooMany>, 'insert' | 'issuer'>,
  part: Part,
): Promise<number | Refused<'not_found' | 'unavailable'>> {
  const { customer, project } = subject
  const owner = { projectId: project.id, issuer: issuer?.id }
  const place = { ...owner, createdAt: change.row.created_at, change: seq }
  return transactionFor(
    deps.unauditedDb,
    part.end - part.start,
  )(async (tx) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    const keys = await insert(tx, place, part)
    const isOpen = await noteAdded(deps, tx, change, { seq, start: part.start, keys })
    return isOpen ? keys.length : refuse('unavailable', { retry_after: RETRY_AFTER })
  })
}

/** Counts the added users if the service tier allows them. */
async function complete<T extends object, R extends TooMany>(
  tx: Queries,
  { customer, project }: ProjectSubject,
  { issuer, tooMany, report }: Addition<T, R>,
  added: number,
): Promise<T | Refused<R | 'unauthorized'>> {
  const account = await lockAccount(tx, customer.id)
  if (account instanceof Refused) return account
  const count = async () => (await countCustomerUsers(tx, customer.id)).ordinary + added
  if (await isExceeded(account.tier.max_users, count)) return refuse(tooMany)
  // Unlike the count above, this one already includes the added users.
  const issued = issuer && refuseIssued(tooMany, issuer, await countIssuedUsers(tx, issuer.id))
  if (issued) return issued
  await changeUserCount(tx, customer.id, project.id, { users: added, fromAds: 0 })
  return report(tx, added)
}

async function lockQuota(
  deps: Deps,
  tx: Queries,
  { customer, project }: ProjectSubject,
): Promise<undefined | Refused<'account_expired' | 'not_found' | 'unauthorized'>> {
  const account = await lockAccount(tx, customer.id)
  if (account instanceof Refused) return account
  if (isAccountExpired(account.customer, deps.now())) return refuse('account_expired')
  return (await lockProject(tx, customer.id, project.id)) ? undefined : refuse('not_found')
}

/**
 * Another transaction may take a key or a Discord account between the lookup and the insertion. In that case,
 * the second attempt finds it taken.
 */
async function retryOnUniqueViolation<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    return change()
  }
}
