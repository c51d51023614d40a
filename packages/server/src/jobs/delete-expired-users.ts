/** Deletes users some time after their keys expired, in projects with `delete_expired_users`. */
import type { Deps } from '../deps.ts'
import { recordJob } from '../domain/audit/record.ts'
import { departed } from '../domain/users/users.ts'
import type { Queries } from '../store/engine/db.ts'
import { changeUserCount, listProjectsWithExpiredUsers } from '../store/tables/projects.ts'
import { deleteExpiredUsers as deleteRows } from '../store/tables/users.ts'
import type { Worker } from './worker.ts'

/** "When a project has `delete_expired_users` true, expired users are deleted 15 minutes after expiry." */
const AFTER_EXPIRY_MS = 900_000
const NAME = 'delete-expired-users'
const EVERY_MS = 45_000
const PROJECT_BATCH_SIZE = 100
/** Bounds how long one transaction holds SQLite's writer. */
const USER_BATCH_SIZE = 200

type Deleting = Pick<Deps, 'random'>
type Owned = { readonly id: string; readonly customer_id: string }

/**
 * Any number of processes may run this: a batch deletes and counts in one transaction and skips rows that another process
 * has locked, so no user is counted twice and no process waits.
 */
export function deleteExpiredUsers(deps: Deleting & Pick<Deps, 'db'>, clock: () => number): Worker {
  const { db } = deps
  return {
    name: NAME,
    everyMs: EVERY_MS,
    async run(signal) {
      const now = clock()
      const before = now - AFTER_EXPIRY_MS
      const projects = await listProjectsWithExpiredUsers(db.read, before, PROJECT_BATCH_SIZE)
      let isMore = projects.length === PROJECT_BATCH_SIZE
      for (const project of projects) {
        if (signal.aborted) return true
        const deleted = await db.transaction((tx) => deleteBatch(deps, tx, project, now))
        isMore ||= deleted === USER_BATCH_SIZE
      }
      return isMore
    },
  }
}

async function deleteBatch(
  deps: Deleting,
  tx: Queries,
  { id, customer_id }: Owned,
  now: number,
): Promise<number> {
  const deleted = await deleteRows(tx, id, now - AFTER_EXPIRY_MS, USER_BATCH_SIZE)
  const count = deleted.length
  if (count === 0) return 0
  await changeUserCount(tx, customer_id, id, departed(deleted))
  await recordJob(tx, deps, { customerId: customer_id, job: NAME, nouns: { project_id: id }, count, now })
  return count
}
