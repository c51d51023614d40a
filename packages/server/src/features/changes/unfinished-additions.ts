/**
 * Unfinished additions. Their users stay hidden until they are deleted, slice by slice, by the next bulk change of
 * the account or by the pruning job.
 */
import { setImmediate } from 'node:timers/promises'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { type ChangeRow, deleteChange, lockEndedChange, updateEndedChanges } from './store/changes.ts'
import { deleteAdded, deleteSlice, findFirstSlice } from './store/trash.ts'

/** An open change without progress for this long belongs to a process that crashed. */
export const CHANGE_LEASE_MS = 60_000

/**
 * Ends the additions of a process that no longer runs. Call it only at startup, and only if this is the
 * only process.
 */
export async function endLeftChanges({ db }: Deps): Promise<void> {
  await db.transaction((tx) => updateEndedChanges(tx, { before: Number.MAX_SAFE_INTEGER }))
}

type Opened = Pick<ChangeRow, 'seq' | 'project_id'>

/** Ends an addition and deletes what it added. */
export async function removeAddition({ unauditedDb, now }: Deps, change: Opened): Promise<void> {
  await unauditedDb.transaction((tx) => updateEndedChanges(tx, { seq: change.seq }))
  while (await unauditedDb.bulk((tx) => deleteEndedSlice(tx, change, now()))) await setImmediate()
}

/**
 * Deletes one slice of the users that an ended change added. Once none is left it deletes the change and returns false.
 * Several processes can do this at the same time.
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
