/** Granted executions of a project as they come, for who follows them. */

import { readAfter, writeCursor } from '../../api/pagination.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { findSettledEnd, listRecentInstances, type RecentInstance } from './store/recent-instances.ts'

const LISTED = 100
const LIST = 'recent'
/**
 * On PostgreSQL a transaction may commit after one that began later. A cursor stops this long before now, so that none
 * is passed over.
 */
const SETTLED_MS = 2000

export type RecentQuery = { readonly after?: string; readonly limit?: number }

/** Oldest first. `next` is always there: asked with it again, it answers what came meanwhile. */
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
  // A full page ends where its last row is, whatever follows it.
  const end =
    after !== undefined && rows.length === limit ? Math.min(settled, rows.at(-1)?.seq ?? settled) : settled
  const ordered = after === undefined ? rows.reverse() : rows
  return { executions: ordered.map(({ seq: _, ...execution }) => execution), next: writeCursor(LIST, end) }
}
