/** The batches of an account: removals and changes of many users, newest first, and until when each can be undone. */

import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { type Caller, mayReach } from '../access/caller.ts'
import type { Scope } from '../access/scopes.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { BatchAction } from './change-batches.ts'
import {
  type BatchesOf,
  type ChangeBatchRow,
  countChangeBatches,
  findChangeBatch,
  listChangeBatches,
} from './store/change-batches.ts'

const DAY_MS = 86_400_000
/** Batches of a page unless a number is given; rows may hold a list. */
const PAGE = 100

export type BatchAsker = {
  readonly customer: CustomerRow
  readonly caller: Pick<Caller, 'projects' | 'scopes' | 'actor'>
}
export type SkippedRow = { readonly what: string; readonly name: string; readonly reason: string }

const LISTED: ListSpec<ChangeBatchRow> = { name: 'batch', numberOf: ({ seq }) => seq }

/** Of one project, or of all that the asker reaches, removed ones too. */
export async function listBatches(
  deps: Deps,
  { customer, caller }: BatchAsker,
  query: PageQuery,
  projectId?: string,
) {
  const of: BatchesOf = { customerId: customer.id, projectId, only: caller.projects }
  const asked = { limit: PAGE, ...query }
  const found = await readPage(LISTED, asked, (range) => listChangeBatches(deps.db.read, of, range))
  if (found instanceof Refused) return found
  const batches = found.rows.map((row) => describeBatch(deps, row))
  return { batches, total: await countChangeBatches(deps.db.read, of), next: found.next }
}

export async function findBatch(
  deps: Deps,
  { customer, caller }: BatchAsker,
  id: string,
): Promise<ChangeBatchRow | Refused<'not_found'>> {
  const row = await findChangeBatch(deps.db.read, customer.id, id)
  return row && mayReach(caller, row.project_id) ? row : refuse('not_found')
}

export function describeBatch(deps: Deps, row: ChangeBatchRow) {
  return {
    id: row.id,
    project_id: row.project_id,
    project_name: row.project_name,
    action: row.action as BatchAction,
    details: JSON.parse(row.details) as Record<string, unknown>,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    created_at: row.created_at,
    count: row.count,
    state: row.state === 'open' ? 'done' : row.state,
    undo_until: undoUntil(deps, row),
    undone_at: row.undone_at,
    undone_by: row.undone_by,
    restored: row.restored,
    skipped: row.skipped,
    skipped_entries: JSON.parse(row.skipped_entries) as SkippedRow[],
  }
}

export function undoUntil({ config }: Pick<Deps, 'config'>, row: Pick<ChangeBatchRow, 'created_at'>): number {
  return row.created_at + config.undoDays * DAY_MS
}

/** What undoing needs beside the right to change single users: the right to what it brings back. */
export function scopeToUndo(action: string): Scope {
  if (action === 'remove-project') return 'projects:write'
  if (action === 'remove-script') return 'scripts:write'
  return 'users:bulk'
}
