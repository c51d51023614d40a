/** Removes a project and everything in it. The removal can be undone. */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { countRemoved } from '../keys/count-removed.ts'
import { listRange } from '../keys/store/user-bulk.ts'
import { changeUserCount, deleteProject, lockProject } from '../projects/store/projects.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { endSessions } from '../sessions/sessions.ts'
import { updateAllKicked } from '../sessions/store/instances.ts'
import { type Changed, changeUsers, type State, type UserChange } from './apply-change.ts'
import { allOf } from './candidates.ts'
import { SLICE, withCustomerLock } from './customer-lock.ts'
import { type Change, newChange, placeOf } from './record-change.ts'
import { updateEndedChanges } from './store/changes.ts'
import { effectOf } from './store/effects-by-action.ts'
import { pickUsers, trashTree, trashUsers } from './store/trash.ts'

type RemoveRefused = Refused<'not_found' | 'rate_limited' | 'unavailable' | 'invalid_request'>

/**
 * Removes users in slices, and everything else in the last slice's transaction. Works even if the account is
 * expired. A crash leaves the project with fewer users. The removal can then be undone or repeated.
 */
export async function removeProject(deps: Deps, subject: ProjectSubject): Promise<Changed | RemoveRefused> {
  const { customer, project } = subject
  const action = 'remove-project'
  const record = newChange(deps, { customerId: customer.id, project }, { action })
  const effect = { ...effectOf('remove', {}), kick: 'script_removed' } as const
  const change: UserChange = {
    action,
    record,
    effect,
    candidates: () => allOf(deps, project.id, effect),
    finish: (tx, state) => removeRest(tx, { deps, subject, record }, state),
  }
  const remove = () => changeUsers(deps, subject, change)
  const done = project.total_users > SLICE ? await withCustomerLock(deps, subject, remove) : await remove()
  if (done instanceof Refused) return done
  await endSessions(deps, { project_id: project.id }, 'script_removed')
  return { count: done.count, change_id: record.id }
}

type Removing = { readonly deps: Deps; readonly subject: ProjectSubject; readonly record: Change }

async function removeRest(
  tx: Queries,
  { deps, subject: { customer, project }, record }: Removing,
  { seq }: State,
): Promise<undefined | Refused<'not_found' | 'unavailable'>> {
  if (!(await lockProject(tx, customer.id, project.id))) return refuse('not_found')
  await updateAllKicked(tx, { project_id: project.id }, 'script_removed')
  // Includes users added after the removal began.
  const { where } = effectOf('remove', {})
  const seqs = await listRange(tx, project.id, { after: 0, end: undefined }, where)
  const users = await pickUsers(tx, project.id, seqs, { where })
  const keys = users.map(({ key }) => key)
  const place = await placeOf(tx, record, { seq, slice: 0, keys, now: deps.now() })
  if (place === undefined) return refuse('unavailable')
  if (users[0]) await trashUsers(tx, { ...place, slice: users[0].seq }, users)
  await changeUserCount(tx, customer.id, project.id, countRemoved(users))
  await trashTree(tx, place, { table: 'projects', id: project.id })
  // Ends changes that are still adding users. These users are removed with the project.
  await updateEndedChanges(tx, { projectId: project.id })
  await deleteProject(tx, customer.id, project.id)
  return undefined
}
