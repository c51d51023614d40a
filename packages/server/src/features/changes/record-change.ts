/** Records a bulk change or a removal and its actor, so that it can be undone. */

import { newId } from '../../api/ids.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { listNamed } from './store/affected.ts'
import { insertChange, type NewChange, updateGrownChange, updateSamples } from './store/changes.ts'
import type { Place } from './store/trash.ts'

export type ChangeAction =
  | ('import' | 'generate' | 'purge' | 'clear' | 'resetall' | 'compensate' | 'delete-expired')
  | ('extend' | 'blacklist' | 'unblacklist' | 'reset' | 'remove')
  | ('pause' | 'resume' | 'tag' | 'untag' | 'plan')
  | ('remove-project' | 'remove-script')

export type ChangeDraft = {
  readonly action: ChangeAction
  /** The action's parameters, without secrets and keys. */
  readonly details?: Readonly<Record<string, unknown>>
}
type Owned = { readonly customerId: string; readonly project: { readonly id: string; readonly name: string } }
type Author = NonNullable<Deps['author']>
type Making = Pick<Deps, 'now' | 'random'> & { readonly author?: Author }

/** The actor for tests and tools that bypass the API. */
const NOBODY: Author = { kind: 'job', id: null, name: 'service' }

export type Change = { readonly id: string; readonly row: NewChange }

export function newChange(
  { now, random, author = NOBODY }: Making,
  { customerId, project }: Owned,
  { action, details = {} }: ChangeDraft,
): Change {
  const at = now()
  const id = newId('chg', at, random)
  const row = {
    id,
    customer_id: customerId,
    project_id: project.id,
    project_name: project.name,
    action,
    details: JSON.stringify(details),
    actor_kind: author.kind,
    actor_id: author.id,
    actor_name: author.name,
    created_at: at,
    touched_at: at,
    state: 'done',
  } as const
  return { id, row }
}

/** Number of affected users shown for each change in the list. */
const SAMPLES = 3

/**
 * Returns where a slice's rows are stored, or undefined if the change has ended. The first slice inserts the
 * change. Must be called while the users with these keys still exist.
 */
export async function placeOf(
  tx: Queries,
  { row }: Change,
  {
    seq,
    slice,
    keys,
    now,
  }: {
    readonly seq: number | undefined
    readonly slice: number
    /** The keys of the slice's users. */
    readonly keys: readonly string[]
    readonly now: number
  },
): Promise<Place | undefined> {
  const count = keys.length
  const total = seq === undefined ? count : await updateGrownChange(tx, seq, { count, now })
  const change = seq ?? (await insertChange(tx, { ...row, count }))
  if (total === undefined || change === undefined) return undefined
  if (total === count && count > 0) {
    const samples = await listNamed(tx, row.project_id, keys.slice(0, SAMPLES))
    await updateSamples(tx, change, JSON.stringify(samples))
  }
  return { change, slice, projectId: row.project_id }
}
