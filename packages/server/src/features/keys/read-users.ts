/** Reads parts of user lists in order of creation. Each part is one bounded statement. */
import type { Deps } from '../../deps.ts'
import { findRangeEnd } from '../key-validity/store/user-status.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import {
  findScanEnd,
  isByStatus,
  isByStatusAlone,
  isRareTerm,
  listFoundUsers,
  listMatchingUsers,
  listUsersByStatus,
  type Matching,
  type UserFilter,
} from './store/user-filter.ts'
import { listUsersAfter, listUsersBefore, type UserRow } from './store/users.ts'
import type { Read } from './walk.ts'

/** A number greater than the `seq` of every user. */
export const NEWEST = Number.MAX_SAFE_INTEGER
/** Checking or sorting this many users at once is still fast. */
export const RARE = 10_000
/** Number of index entries that can be scanned in the time it takes to read one table row. */
export const ENTRIES_A_ROW = 10

/**
 * Returns whether the search term is rare enough to narrow the search. A filter for a single user is more
 * selective than any search term.
 */
export async function isNarrowedByTerm(deps: Deps, { key, chat_id, search }: UserFilter): Promise<boolean> {
  if (search === undefined || key !== undefined || chat_id !== undefined) return false
  return isRareTerm(deps.db.read, search, RARE)
}

export function readAll(deps: Deps, project: ProjectRow): Read<UserRow> {
  return async (after, limit) => {
    const rows = await listUsersAfter(deps.db.read, project.id, { after, limit })
    return { rows, end: rows.length < limit ? undefined : rows.at(-1)?.seq }
  }
}

export function readNewest(deps: Deps, project: ProjectRow): Read<UserRow> {
  return async (before, limit) => {
    const rows = await listUsersBefore(deps.db.read, project.id, { before, limit })
    return { rows, end: rows.length < limit ? undefined : rows.at(-1)?.seq }
  }
}

export function readFound(deps: Deps, matching: Matching): Read<UserRow> {
  return async (after, limit) => {
    const rows = await listFoundUsers(deps.db.read, matching, { after, limit })
    return { rows, end: rows.length < limit ? undefined : rows.at(-1)?.seq }
  }
}

export function readRange(deps: Deps, matching: Matching): Read<UserRow> {
  if (isByStatus(matching)) return readByStatus(deps, matching)
  const { key, chat_id } = matching.filter
  return async (after, limit) => {
    const stretch = { after, size: deps.db.rowsAtOnce }
    const rows = await listMatchingUsers(deps.db.read, matching, { ...stretch, limit })
    // Keys and chat IDs are unique within a project, so there can't be more matches.
    if (key !== undefined || chat_id !== undefined) return { rows, end: undefined }
    if (rows.length === limit) return { rows, end: rows.at(-1)?.seq }
    return { rows, end: await findScanEnd(deps.db.read, matching, stretch) }
  }
}

function readByStatus(deps: Deps, matching: Matching): Read<UserRow> {
  const size = deps.db.rowsAtOnce * (isByStatusAlone(matching) ? ENTRIES_A_ROW : 1)
  const { isNewestFirst = false } = matching
  return async (after, limit) => {
    const end = await findRangeEnd(deps.db.read, matching, { after, size, isNewestFirst })
    const rows = await listUsersByStatus(deps.db.read, matching, { after, end, limit })
    return { rows, end: rows.length === limit ? rows.at(-1)?.seq : end }
  }
}
