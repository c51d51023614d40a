/** Lists granted executions for clients that follow a project. */

import { readAfter, writeCursor } from '../../api/pagination.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { findSettledEnd, listRecentInstances, type RecentInstance } from './store/recent-instances.ts'

const LISTED = 100
const LIST = 'recent'
/**
 * On PostgreSQL, transactions may commit in a different order than they began. A cursor stops this long before now so
 * that a late commit is not skipped.
 */
const SETTLED_MS = 2000

export type RecentQuery = { readonly after?: string; readonly limit?: number }

/** Lists executions oldest first. `next` is always set: pass it as `after` to get what has been added since. */
export async function listRecentExecutions(
  { db, now }: Deps,
  { id }: ProjectRow,
  { after: cursor, limit = LISTED }: RecentQuery,
): Promise<{ executions: Omit<RecentInstance, 'seq'>[]; next: string } | Refused<'invalid_request'>> {
  const after = readAfter(LIST, cursor === undefined ? {} : { after: cursor })
  if (after instanceof Refused) return after
  const asked = { projectId: id, after, now: now() }
  const rows = await listRecentInstances(db.read, asked, limit)
  const settled = (await findSettledEnd(db.read, asked, asked.now - SETTLED_MS)) ?? after ?? 0
  // A full page ends at its last row, even if later rows have settled.
  const end =
    after !== undefined && rows.length === limit ? Math.min(settled, rows.at(-1)?.seq ?? settled) : settled
  const ordered = after === undefined ? rows.reverse() : rows
  return { executions: ordered.map(({ seq: _, ...execution }) => execution), next: writeCursor(LIST, end) }
}
