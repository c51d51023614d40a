/** Runs each account's bulk changes one at a time, so that no account can overload the database. */
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Database } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { findHidingChange } from './store/changes.ts'
import { CHANGE_LEASE_MS, removeAddition } from './unfinished-additions.ts'

/**
 * Maximum number of users in one transaction. On SQLite, such a transaction blocks other writes for a few
 * hundredths of a second.
 */
export const SLICE = 500
/** Changes to at least this many users run off the event loop. */
const BULK_FROM = 201
/** `retry_after` in seconds. */
export const RETRY_AFTER = 5

/**
 * Runs a bulk change. In this process, each account can run only one at a time, and none while another
 * process adds users to it. Further changes are queued, or rejected if the queue is full.
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

/** Chooses the kind of transaction for a change of this size. Long transactions run off the event loop. */
export function transactionFor(db: Database, users: number): Database['transaction'] {
  return users < BULK_FROM ? db.transaction : db.bulk
}

/**
 * Deletes the remains of an unfinished addition. Returns false while another process is still adding users.
 */
async function clearWay(deps: Deps, customerId: string): Promise<boolean> {
  const change = await findHidingChange(deps.db.read, customerId)
  if (!change) return true
  if (change.state === 'open' && change.touched_at > deps.now() - CHANGE_LEASE_MS) return false
  await removeAddition(deps, change)
  return true
}
