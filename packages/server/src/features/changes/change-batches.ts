/** What a change of many users, or a removal, leaves for its undoing: one batch, with who made it. */

import { newId } from '../../api/ids.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { insertChangeBatch, type NewChangeBatch, updateGrownBatch } from './store/change-batches.ts'
import type { Place } from './store/trash.ts'

/** What was done, as batches call it. */
export type BatchAction =
  | ('import' | 'generate' | 'purge' | 'clear' | 'resetall' | 'compensate' | 'delete-expired')
  | ('extend' | 'blacklist' | 'unblacklist' | 'reset' | 'remove')
  | ('pause' | 'resume' | 'tag' | 'untag' | 'plan')
  | ('remove-project' | 'remove-script')

export type BatchDraft = {
  readonly action: BatchAction
  /** What it was given; no secrets, and no keys. */
  readonly details?: Readonly<Record<string, unknown>>
}
type Owned = { readonly customerId: string; readonly project: { readonly id: string; readonly name: string } }
type Author = NonNullable<Deps['author']>
type Making = Pick<Deps, 'now' | 'random'> & { readonly author?: Author }

/** Of tests and tools that call the domain themselves. */
const NOBODY: Author = { kind: 'job', id: null, name: 'service' }

export type Batch = { readonly id: string; readonly row: NewChangeBatch }

export function newBatch(
  { now, random, author = NOBODY }: Making,
  { customerId, project }: Owned,
  { action, details = {} }: BatchDraft,
): Batch {
  const at = now()
  const id = newId('bat', at, random)
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

/** Where the rows of one slice go; the first slice makes the row of the batch. */
export async function placeOf(
  tx: Queries,
  { row }: Batch,
  {
    seq,
    slice,
    count,
    now,
  }: {
    readonly seq: number | undefined
    readonly slice: number
    readonly count: number
    readonly now: number
  },
): Promise<Place | undefined> {
  const projectId = row.project_id
  if (seq === undefined) return { batch: await insertChangeBatch(tx, { ...row, count }), slice, projectId }
  return (await updateGrownBatch(tx, seq, { count, now })) ? { batch: seq, slice, projectId } : undefined
}
