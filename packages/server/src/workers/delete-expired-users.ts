/** Deletes users whose keys expired a while ago, in the projects that want it. */
import type { Deps } from '../deps.ts'
import { departed } from '../domain/users.ts'
import type { Queries } from '../store/db.ts'
import { changeUserCount, listProjectsWithExpiredUsers } from '../store/projects.ts'
import { deleteExpiredUsers as deleteRows } from '../store/users.ts'
import type { Worker } from './worker.ts'

/** "When a project has `delete_expired_users` true, expired users are deleted 15 minutes after expiry." */
const AFTER_EXPIRY_MS = 900_000
const EVERY_MS = 45_000
const PROJECTS_AT_ONCE = 100
/** Bounds for how long one transaction keeps SQLite's writer from everybody else. */
const USERS_AT_ONCE = 200

type Owned = { readonly id: string; readonly customer_id: string }

/**
 * Any number of processes may run this: a batch deletes and counts in one transaction and passes over rows that another
 * one holds, so nobody is counted twice and nobody waits.
 */
export function deleteExpiredUsers({ db }: Pick<Deps, 'db'>, clock: () => number): Worker {
  return {
    name: 'delete-expired-users',
    everyMs: EVERY_MS,
    async run(signal) {
      const before = clock() - AFTER_EXPIRY_MS
      const projects = await listProjectsWithExpiredUsers(db.read, before, PROJECTS_AT_ONCE)
      let isMore = projects.length === PROJECTS_AT_ONCE
      for (const project of projects) {
        if (signal.aborted) return true
        const deleted = await db.transaction((tx) => deleteBatch(tx, project, before))
        isMore ||= deleted === USERS_AT_ONCE
      }
      return isMore
    },
  }
}

async function deleteBatch(tx: Queries, { id, customer_id }: Owned, before: number): Promise<number> {
  const deleted = await deleteRows(tx, id, before, USERS_AT_ONCE)
  if (deleted.length > 0) await changeUserCount(tx, customer_id, id, departed(deleted))
  return deleted.length
}
