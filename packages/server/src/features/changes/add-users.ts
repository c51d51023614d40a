/**
 * Adds many users to a project, all or none. Up to `SLICE` of them are one transaction. More are a batch: its slices are
 * transactions of their own, between which others write, and its users are invisible until the last transaction has
 * checked the limit of the plan and shows them all.
 */
import { setImmediate } from 'node:timers/promises'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Database, Queries } from '../../database/engine/db.ts'
import { isUniqueViolation } from '../../database/engine/dialect.ts'
import type { Deps } from '../../deps.ts'
import type { Issuer } from '../access/caller.ts'
import { isAccountExpired, isExceeded, lockAccount } from '../accounts/quotas.ts'
import { refuseIssued } from '../keys/issuers.ts'
import type { NewUsers } from '../keys/store/user-bulk.ts'
import { countIssuedUsers } from '../keys/store/users.ts'
import { changeUserCount, countCustomerUsers, lockProject } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { type Batch, type BatchDraft, newBatch, placeOf } from './change-batches.ts'
import { insertChangeBatch, updateOpenBatch } from './store/change-batches.ts'
import { noteAddedUsers } from './store/trash.ts'
import {
  deleteBatchUsers,
  deleteCompleteBatch,
  findUserBatch,
  insertUserBatch,
  type UserBatchRow,
  updateEndedBatch,
  updateStaleBatches,
  updateTouchedBatch,
} from './store/user-batches.ts'

/** Users of one transaction: on SQLite other writes wait for it, some hundredths of a second. */
export const SLICE = 500
/** From this many users on, a change runs off the event loop. */
const BULK_FROM = 201
/** A batch that made no progress for so long belongs to a process that crashed. */
export const BATCH_LEASE_MS = 60_000
/** Bounds how long one transaction holds SQLite's writer. */
const DELETED_AT_ONCE = 500
/** Seconds. */
const RETRY_AFTER = 5

type TooMany = 'too_many_users_to_import' | 'too_many_keys_to_generate'
export type AdditionRefused<R extends TooMany> = Refused<
  R | 'account_expired' | 'not_found' | 'unauthorized' | 'unavailable' | 'rate_limited'
>

export type Addition<T, R extends TooMany> = {
  /** Who adds them without seeing all users. */
  readonly issuer: Issuer | undefined
  /** How many are given; not all of them need to become users. */
  readonly count: number
  /** The reason when the plan has no place for all. */
  readonly tooMany: R
  /** Inserts those of the given ones that can be users, from one up to but not including another. Returns their keys. */
  readonly insert: (tx: Queries, place: NewUsers, part: Part) => Promise<readonly string[]>
  /** Reports that so many were added, in the transaction that shows them. */
  readonly report: (tx: Queries, added: number) => Promise<T>
  /** What its undoing is called. */
  readonly draft: BatchDraft
}
export type Added = { readonly batch_id: string | null }
export type Part = { readonly start: number; readonly end: number }

export async function addUsers<T extends object, R extends TooMany>(
  deps: Deps,
  subject: ProjectSubject,
  addition: Addition<T, R>,
): Promise<(T & Added) | AdditionRefused<R>> {
  const { issuer, count, tooMany } = addition
  const refused = refuseIssued(tooMany, issuer, count)
  if (refused) return refused
  if (count > SLICE) return withCustomerLock(deps, subject, () => addBatch(deps, subject, addition))
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
      const undo = batchOf(deps, subject, addition)
      if (keys.length > 0) await noteAdded(deps, tx, undo, { seq: undefined, start: 0, keys })
      const value = await complete(tx, subject, addition, keys.length)
      return value instanceof Refused ? value : { ...value, batch_id: keys.length > 0 ? undo.id : null }
    }),
  )
}

function batchOf(
  deps: Deps,
  { customer, project }: ProjectSubject,
  { draft }: Pick<Addition<object, TooMany>, 'draft'>,
): Batch {
  return newBatch(deps, { customerId: customer.id, project }, draft)
}

/** Notes users whom a slice added; the first note makes the row of the batch. */
async function noteAdded(
  deps: Deps,
  tx: Queries,
  undo: Batch,
  {
    seq,
    start,
    keys,
  }: { readonly seq: number | undefined; readonly start: number; readonly keys: readonly string[] },
): Promise<void> {
  const place = await placeOf(tx, undo, { seq, slice: start + 1, count: keys.length, now: deps.now() })
  if (place !== undefined) await noteAddedUsers(tx, place, keys)
}

/**
 * Runs a change of many users: one of a customer at a time, over all processes as far as batches go. Others of the same
 * customer wait, and when too many do, are refused.
 */
export async function withCustomerLock<T>(
  deps: Deps,
  { customer }: Pick<ProjectSubject, 'customer'>,
  change: () => Promise<T>,
): Promise<T | Refused<'rate_limited'>> {
  const busy = () => refuse('rate_limited', { retry_after: RETRY_AFTER })
  const queued = await deps.limits.bulkChanges.run(customer.id, async () =>
    (await clearWay(deps, customer.id)) ? change() : busy(),
  )
  return 'done' in queued ? queued.done : busy()
}

/** The transaction for a change of so many users: short ones run with the others, long ones off the event loop. */
export function transactionFor(db: Database, users: number): Database['transaction'] {
  return users < BULK_FROM ? db.transaction : db.bulk
}

/** Ends what a process left that no longer runs. Only for a start of the only process. */
export async function endLeftBatches({ db }: Deps): Promise<void> {
  await db.transaction((tx) => updateStaleBatches(tx, Number.MAX_SAFE_INTEGER))
}

async function addBatch<T extends object, R extends TooMany>(
  deps: Deps,
  subject: ProjectSubject,
  addition: Addition<T, R>,
): Promise<(T & Added) | AdditionRefused<R>> {
  const undo = batchOf(deps, subject, addition)
  const begun = await deps.unauditedDb.transaction((tx) => beginBatch(deps, tx, subject, undo))
  if (begun instanceof Refused) return begun
  const { batch } = begun
  let value: T | AdditionRefused<R>
  try {
    value = await fillBatch({ deps, subject, undo, ...begun }, addition)
  } catch (error) {
    // What cannot be deleted now, because the database fails, is deleted by the job that prunes.
    await removeBatch(deps, batch).catch(() => {})
    throw error
  }
  if (!(value instanceof Refused)) return { ...value, batch_id: undo.id }
  await removeBatch(deps, batch)
  return value
}

async function beginBatch(deps: Deps, tx: Queries, subject: ProjectSubject, undo: Batch) {
  const refused = await lockQuota(deps, tx, subject)
  if (refused) return refused
  const owner = { customer_id: subject.customer.id, project_id: subject.project.id, touched_at: deps.now() }
  const batch = await insertUserBatch(tx, owner)
  if (batch === undefined) return refuse('rate_limited', { retry_after: RETRY_AFTER })
  return { batch, seq: await insertChangeBatch(tx, { ...undo.row, state: 'open' }) }
}

type Filling = {
  readonly deps: Deps
  readonly subject: ProjectSubject
  readonly batch: UserBatchRow
  /** What undoes it, and its number. */
  readonly undo: Batch
  readonly seq: number
}

async function fillBatch<T extends object, R extends TooMany>(
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
  const { deps, subject, batch, seq } = filling
  return deps.db.transaction(async (tx) => {
    const refused = await lockQuota(deps, tx, subject)
    if (refused) return refused
    if (!(await deleteCompleteBatch(tx, batch.seq)))
      return refuse('unavailable', { retry_after: RETRY_AFTER })
    await updateOpenBatch(tx, seq)
    return complete(tx, subject, addition, added)
  })
}

/** Locks the project before the batch, as a removal of the project does. */
function insertSlice(
  { deps, subject, batch, undo, seq }: Filling,
  { insert, issuer }: Pick<Addition<object, TooMany>, 'insert' | 'issuer'>,
  part: Part,
): Promise<number | Refused<'not_found' | 'unavailable'>> {
  const { customer, project } = subject
  const owner = { projectId: project.id, issuer: issuer?.id }
  const place = { ...owner, createdAt: batch.touched_at, batch: batch.seq }
  return transactionFor(
    deps.unauditedDb,
    part.end - part.start,
  )(async (tx) => {
    if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
    if (!(await updateTouchedBatch(tx, batch.seq, deps.now())))
      return refuse('unavailable', { retry_after: RETRY_AFTER })
    const keys = await insert(tx, place, part)
    await noteAdded(deps, tx, undo, { seq, start: part.start, keys })
    return keys.length
  })
}

/** Counts users who were added, if the plan has places for them. */
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
  // Those that were added are visible here and counted too.
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

/** Another transaction may take a key or a chat id after it was looked up; the second attempt sees that it is taken. */
async function retryOnUniqueViolation<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    return change()
  }
}

/** Removes what a batch of the customer left; false while another process still adds users. */
async function clearWay(deps: Deps, customerId: string): Promise<boolean> {
  const batch = await findUserBatch(deps.db.read, customerId)
  if (!batch) return true
  if (batch.ended === 0 && batch.touched_at > deps.now() - BATCH_LEASE_MS) return false
  await removeBatch(deps, batch)
  return true
}

async function removeBatch({ unauditedDb }: Deps, batch: UserBatchRow): Promise<void> {
  await unauditedDb.transaction((tx) => updateEndedBatch(tx, batch.seq))
  const remove = () => unauditedDb.bulk((tx) => deleteBatchUsers(tx, batch, DELETED_AT_ONCE))
  while ((await remove()) > 0) await setImmediate()
}
