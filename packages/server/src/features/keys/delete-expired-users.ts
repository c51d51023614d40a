/** Deletes expired users in projects with `delete_expired_users`. */

import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { recordJob } from '../audit/record.ts'
import { type Change, newChange, placeOf } from '../changes/record-change.ts'
import { pickExpired, trashUsers } from '../changes/store/trash.ts'
import {
  changeUserCount,
  type ExpiringProject,
  listProjectsWithExpiredUsers,
} from '../projects/store/projects.ts'
import { countRemoved } from './count-removed.ts'
import { reportRemoval } from './removals.ts'
import { listExpiredUsers } from './store/users.ts'

/** "When a project has `delete_expired_users` true, expired users are deleted 15 minutes after expiry." */
const AFTER_EXPIRY_MS = 900_000
const NAME = 'delete-expired-users'
const EVERY_MS = 45_000
const PROJECT_BATCH_SIZE = 100
/** Maximum number of users per transaction, which limits how long it blocks other SQLite writes. */
const USER_BATCH_SIZE = 200

type Deleting = Pick<Deps, 'random' | 'db' | 'secrets'>

/**
 * Any number of processes may run this at the same time. Each transaction deletes and counts one batch, after
 * checking again which users may be deleted. In each project, all deletions in one run form one bulk change,
 * which can be undone.
 */
export function deleteExpiredUsers(deps: Deleting, clock: () => number): Worker {
  return {
    name: NAME,
    everyMs: EVERY_MS,
    async run(signal) {
      const now = clock()
      const before = now - AFTER_EXPIRY_MS
      const projects = await listProjectsWithExpiredUsers(deps.db.read, before, PROJECT_BATCH_SIZE)
      // Projects take turns, so that a large project doesn't delay the others.
      let going = projects.map((project) => expiringOf(deps, project, now))
      while (going.length > 0) {
        if (signal.aborted) return true
        const after: Expiring[] = []
        for (const one of going) after.push(...(await deleteNext(one)))
        going = after
      }
      return projects.length === PROJECT_BATCH_SIZE
    },
  }
}

type Expiring = {
  readonly deps: Deleting
  readonly change: Change
  /** The number of the bulk change, or undefined before the first deletion. */
  readonly seq: number | undefined
  readonly now: number
}

function expiringOf(deps: Deleting, { id, name, customer_id }: ExpiringProject, now: number): Expiring {
  const author = { kind: 'job', id: null, name: NAME } as const
  const making = { now: () => now, random: deps.random, author }
  const owner = { customerId: customer_id, project: { id, name } }
  return { deps, change: newChange(making, owner, { action: 'delete-expired' }), seq: undefined, now }
}

/**
 * Deletes a project's next batch. Returns an empty list if no users are left or another process deleted them.
 */
async function deleteNext(expiring: Expiring): Promise<Expiring[]> {
  const { deps, change, now } = expiring
  const asked = { before: now - AFTER_EXPIRY_MS, limit: USER_BATCH_SIZE }
  const seqs = await listExpiredUsers(deps.db.read, change.row.project_id, asked)
  if (seqs.length === 0) return []
  const seq = await deps.db.transaction((tx) => deleteSlice(tx, expiring, seqs))
  return seq === undefined ? [] : [{ ...expiring, seq }]
}

/** Returns the number of the bulk change, or undefined if no user was deleted. */
async function deleteSlice(
  tx: Queries,
  { deps, change, seq, now }: Expiring,
  seqs: readonly number[],
): Promise<number | undefined> {
  const { project_id, customer_id } = change.row
  const users = await pickExpired(tx, project_id, seqs, now - AFTER_EXPIRY_MS)
  if (users[0] === undefined) return undefined
  const count = users.length
  const keys = users.map(({ key }) => key)
  const place = await placeOf(tx, change, { seq, slice: users[0].seq, keys, now })
  if (place === undefined) return undefined
  await trashUsers(tx, place, users)
  await changeUserCount(tx, customer_id, project_id, countRemoved(users))
  const told = { ...deps, now: () => now }
  await reportRemoval(tx, told, project_id, { actor: 'service', count, reason: 'expired' })
  await recordJob(tx, deps, { customerId: customer_id, job: NAME, nouns: { project_id }, count, now })
  return place.change
}
