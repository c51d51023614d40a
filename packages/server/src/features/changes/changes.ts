/** An account's removals and bulk changes, newest first, each with the deadline for undoing it. */

import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { type Caller, mayReach } from '../access/caller.ts'
import type { Scope } from '../access/scopes.ts'
import type { CustomerRow } from '../accounts/store/customers.ts'
import type { ChangeAction } from './record-change.ts'
import type { Named } from './store/affected.ts'
import {
  type ChangeRow,
  type ChangesOf,
  countChanges,
  findChange as findChangeRow,
  listChanges as listChangeRows,
} from './store/changes.ts'

const DAY_MS = 86_400_000
/** Default page size. It is small, because a row may contain a list. */
const PAGE = 100

export type ChangeAsker = {
  readonly customer: CustomerRow
  readonly caller: Pick<Caller, 'projects' | 'scopes' | 'actor'>
}
/** Changes in other states are not listed. */
type ListedState = Exclude<ChangeRow['state'], 'open' | 'ended'>
/** Why an undo left a resource unchanged. */
export const SKIP_REASONS = {
  already_exists: 'it already exists',
  key_taken: 'another user has this key',
  chat_id_taken: 'another user is linked to this chat account',
  edited: 'it has been edited since',
  removed: 'it has been removed since',
  plan_removed: 'its former plan has been removed since',
  used_or_edited: 'it has been used, edited or removed since',
} as const
export type SkipType = keyof typeof SKIP_REASONS
export type SkippedRow = {
  readonly what: string
  readonly name: string
  readonly type: SkipType
  readonly reason: string
}

export function skippedRow(what: string, name: string, type: SkipType): SkippedRow {
  return { what, name, type, reason: SKIP_REASONS[type] }
}

const LISTED: ListSpec<ChangeRow> = { name: 'change', numberOf: ({ seq }) => seq }

/** The changes of one project, or of all projects that the caller may access, including removed projects. */
export async function listChanges(
  deps: Deps,
  { customer, caller }: ChangeAsker,
  { user_key: userKey, ...query }: PageQuery & { readonly user_key?: string },
  projectId?: string,
) {
  const of: ChangesOf = { customerId: customer.id, projectId, only: caller.projects, userKey }
  const asked = { limit: PAGE, ...query }
  const found = await readPage(LISTED, asked, (range) => listChangeRows(deps.db.read, of, range))
  if (found instanceof Refused) return found
  const changes = found.rows.map((row) => describeChange(deps, row))
  return { changes, total: await countChanges(deps.db.read, of), next: found.next }
}

export async function findChange(
  deps: Deps,
  { customer, caller }: ChangeAsker,
  id: string,
): Promise<ChangeRow | Refused<'not_found'>> {
  const row = await findChangeRow(deps.db.read, customer.id, id)
  return row && mayReach(caller, row.project_id) ? row : refuse('not_found')
}

export function describeChange(deps: Deps, row: ChangeRow) {
  return {
    id: row.id,
    project_id: row.project_id,
    project_name: row.project_name,
    action: row.action as ChangeAction,
    details: JSON.parse(row.details) as Record<string, unknown>,
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    created_at: row.created_at,
    count: row.count,
    samples: JSON.parse(row.samples) as Named[],
    state: row.state as ListedState,
    undo_until: undoUntil(deps, row),
    undone_at: row.undone_at,
    undone_by: row.undone_by,
    restored: row.restored,
    skipped: row.skipped,
    skipped_entries: JSON.parse(row.skipped_entries) as SkippedRow[],
  }
}

export function undoUntil({ config }: Pick<Deps, 'config'>, row: Pick<ChangeRow, 'created_at'>): number {
  return row.created_at + config.undoDays * DAY_MS
}

/**
 * Returns the scope that an undo requires in addition to the one for changing single users. The scope depends
 * on what is restored. A single removed user requires none.
 */
export function scopeToUndo({ action, count }: Pick<ChangeRow, 'action' | 'count'>): Scope | undefined {
  if (action === 'remove' && count === 1) return undefined
  if (action === 'remove-project') return 'projects:write'
  if (action === 'remove-script') return 'scripts:write'
  return 'users:bulk'
}
