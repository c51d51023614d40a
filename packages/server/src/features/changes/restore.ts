/** Restores the rows of one slice from the trash, and reports which rows could not be restored. */

import { NEVER } from '../../api/limits.ts'
import { type Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import { type Account, isExceeded } from '../accounts/quotas.ts'
import { countCustomerAdCheckpoints } from '../ads/store/ad-checkpoints.ts'
import { countAdSystems } from '../ads/store/ad-systems.ts'
import type { Effect } from '../key-validity/store/effect.ts'
import { countRemoved, countRestored } from '../keys/count-removed.ts'
import { listTakenKeys } from '../keys/store/user-bulk.ts'
import { countProjects, type UserChange } from '../projects/store/projects.ts'
import { countCustomerScripts } from '../scripts/store/scripts.ts'
import { type SkippedRow, type SkipType, skippedRow } from './changes.ts'
import type { ChangeRow } from './store/changes.ts'
import { effectOf } from './store/effects-by-action.ts'
import {
  deletePicked,
  listKinds,
  listPlanless,
  listSliceKeys,
  type PickedUser,
  type Place,
  pickAdded,
  restoreChanges,
  restoreHanging,
  restoreTree,
  restoreUsers,
  reverseChanges,
} from './store/trash.ts'
import { OF_USER } from './store/trash-tree.ts'

export type Restored = {
  readonly restored: number
  readonly skipped: readonly SkippedRow[]
  /** Changes to the project's user counters. */
  readonly users: UserChange
}

/** Restores users that were removed, changed or added. A slice contains only one of these kinds. */
export async function restoreSlice(
  tx: Queries,
  { customer_id, action }: Pick<ChangeRow, 'customer_id' | 'action'>,
  place: Place,
  now: number,
): Promise<Restored> {
  const kinds = await listKinds(tx, place)
  const [removed, changed, added] = ['users', 'change', 'added'].map((kind) => kinds.get(kind))
  if (removed) return restoreRemoved(tx, customer_id, { place, kinds, columns: removed })
  // The time of the pause is given back, as it is when a key is resumed.
  const reverse = action === 'pause' ? effectOf('resume', { now, latest: NEVER }) : undefined
  if (changed) return restoreChanged(tx, customer_id, { place, kinds, columns: changed, reverse })
  return added ? removeAdded(tx, { place, kinds, columns: added }) : NOTHING
}

type TreeRefused =
  | ('max_projects_reached' | 'max_scripts_reached')
  | ('max_systems_reached' | 'max_checkpoints_reached')

/** Restores a project or script if the service tier allows it. */
export async function restoreProject(
  tx: Queries,
  { customer, tier }: Account,
  { action, project_name }: ChangeRow,
  place: Place,
): Promise<Restored | Refused<TreeRefused>> {
  const root = action === 'remove-project' ? 'projects' : 'scripts'
  const isBack = await restoreTree(tx, place, root)
  if (!isBack) return { ...NOTHING, skipped: [skippedRow(root, project_name, 'already_exists')] }
  if (root === 'projects' && (await isExceeded(tier.max_projects, () => countProjects(tx, customer.id))))
    return refuse('max_projects_reached', { limit: tier.max_projects })
  if (await isExceeded(tier.max_scripts, () => countCustomerScripts(tx, customer.id)))
    return refuse('max_scripts_reached', { limit: tier.max_scripts })
  const refused = root === 'projects' && (await refuseAds(tx, { customer, tier }, place.projectId))
  return refused || { ...NOTHING, restored: 1 }
}

/** A project without ad systems can be restored even if the account exceeds these limits. */
async function refuseAds(
  tx: Queries,
  { customer, tier }: Account,
  projectId: string,
): Promise<Refused<'max_systems_reached' | 'max_checkpoints_reached'> | undefined> {
  if ((await countAdSystems(tx, customer.id, new Set([projectId]))) === 0) return undefined
  if (await isExceeded(tier.max_systems, () => countAdSystems(tx, customer.id)))
    return refuse('max_systems_reached', { limit: tier.max_systems })
  if (await isExceeded(tier.max_checkpoints, () => countCustomerAdCheckpoints(tx, customer.id)))
    return refuse('max_checkpoints_reached', { limit: tier.max_checkpoints })
  return undefined
}

const NOTHING: Restored = { restored: 0, skipped: [], users: { users: 0, fromAds: 0 } }

type Slice = {
  readonly place: Place
  readonly kinds: ReadonlyMap<string, readonly string[]>
  readonly columns: readonly string[]
}

async function restoreRemoved(tx: Queries, customerId: string, slice: Slice): Promise<Restored> {
  const { place, columns } = slice
  const back = await restoreUsers(tx, place, columns)
  const keys = back.map(({ key }) => key)
  await restoreWhatHung(tx, slice, keys)
  const left = await keysLeft(tx, place, 'users', keys)
  const taken = new Set(await listTakenKeys(tx, customerId, left))
  const type = (key: string) => (taken.has(key) ? 'key_taken' : 'chat_id_taken')
  return { restored: back.length, skipped: skipAll(left, type), users: countRestored(back) }
}

async function restoreChanged(
  tx: Queries,
  customerId: string,
  slice: Slice & { readonly reverse: Effect | undefined },
): Promise<Restored> {
  const { place, columns, reverse } = slice
  const keys = await (reverse
    ? reverseChanges(tx, place, columns, reverse)
    : restoreChanges(tx, place, columns))
  await restoreWhatHung(tx, slice, keys)
  const left = await keysLeft(tx, place, 'change', keys)
  const there = new Set(await listTakenKeys(tx, customerId, left))
  const planless = new Set(await listPlanless(tx, place, columns))
  const type = (key: string) => {
    if (!there.has(key)) return 'removed'
    return planless.has(key) ? 'plan_removed' : 'edited'
  }
  return { ...NOTHING, restored: keys.length, skipped: skipAll(left, type) }
}

/** Removes added users, except those whose keys have since been used or edited. */
async function removeAdded(tx: Queries, { place, columns }: Slice): Promise<Restored> {
  const added: PickedUser[] = await pickAdded(tx, place, columns)
  await deletePicked(tx, added)
  const keys = added.map(({ key }) => key)
  const left = await keysLeft(tx, place, 'added', keys)
  return {
    restored: added.length,
    skipped: skipAll(left, () => 'used_or_edited'),
    users: countRemoved(added),
  }
}

async function restoreWhatHung(tx: Queries, { place, kinds }: Slice, keys: readonly string[]): Promise<void> {
  for (const table of OF_USER) {
    const columns = kinds.get(table)
    if (columns) await restoreHanging(tx, place, { table, columns }, keys)
  }
}

async function keysLeft(tx: Queries, place: Place, kind: string, back: readonly string[]): Promise<string[]> {
  const all = await listSliceKeys(tx, place, kind)
  const done = new Set(back)
  return all.filter((key) => !done.has(key))
}

function skipAll(keys: readonly string[], type: (key: string) => SkipType): SkippedRow[] {
  return keys.map((name) => skippedRow('users', name, type(name)))
}
