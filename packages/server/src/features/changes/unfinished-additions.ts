/**
 * Unfinished additions. Their users stay hidden until the account's next bulk change or the pruning job
 * deletes them, slice by slice.
 */
import { setImmediate } from 'node:timers/promises'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { type ChangeRow, deleteChange, lockEndedChange, updateEndedChanges } from './store/changes.ts'
import { deleteAdded, deleteSlice, findFirstSlice } from './store/trash.ts'

/** An open change that has made no progress for this long belongs to a crashed process. */
export const CHANGE_LEASE_MS = 60_000

/**
 * Ends additions that a previous process left open. Call this only on startup, and only if no other process
 * is running.
 */
export async function endLeftChanges({ db }: Deps): Promise<void> {
  await db.transaction((tx) => updateEndedChanges(tx, { before: Number.MAX_SAFE_INTEGER }))
}

type Opened = Pick<ChangeRow, 'seq' | 'project_id'>

/** Ends an addition and deletes its users. */
export async function removeAddition({ unauditedDb, now }: Deps, change: Opened): Promise<void> {
  await unauditedDb.transaction((tx) => updateEndedChanges(tx, { seq: change.seq }))
  while (await unauditedDb.bulk((tx) => deleteEndedSlice(tx, change, now()))) await setImmediate()
}

/**
 * Deletes one slice of the users that an ended change added. If none are left, deletes the change and returns
 * false. Several processes may call this concurrently.
 */
export async function deleteEndedSlice(
  tx: Queries,
  { seq, project_id }: Opened,
  now: number,
): Promise<boolean> {
  if (!(await lockEndedChange(tx, seq, now))) return false
  const slice = await findFirstSlice(tx, seq)
  if (slice === undefined) {
    await deleteChange(tx, seq)
    return false
  }
  const place = { change: seq, slice, projectId: project_id }
  await deleteAdded(tx, place)
  await deleteSlice(tx, place)
  return true
}
