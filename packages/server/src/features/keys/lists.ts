/**
 * Reads user lists of any length in bounded parts and in order of creation. A project's size affects neither
 * memory use nor other requests.
 */
import { setImmediate } from 'node:timers/promises'
import { USER_STATUSES } from '@scriptward/client/user-statuses'
import { cursorName, type PageQuery, readAfter, writeCursor } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Issuer } from '../access/caller.ts'
import { listBannedUsers } from '../bans/banned-users.ts'
import { timesAt } from '../key-validity/quota-periods.ts'
import {
  countCreated,
  countStatuses,
  findCreatedEnd,
  findRangeEnd,
  type StatusCounts,
} from '../key-validity/store/user-status.ts'
import { listPlans } from '../plans/store.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import {
  ENTRIES_A_ROW,
  isNarrowedByTerm,
  NEWEST,
  readAll,
  readFound,
  readNewest,
  readRange,
} from './read-users.ts'
import { listSorted } from './sorted-lists.ts'
import type { UserSort } from './store/sorted-users.ts'
import { type ExportedUser, listExportedUsers } from './store/user-bulk.ts'
import type { Matching, UserFilter } from './store/user-filter.ts'
import { countIssuedOfProject, findUserSeqAt, type UserRow } from './store/users.ts'
import { type Bounds, type Next, type Read, walk } from './walk.ts'

export type UserPages = {
  /** A page may be empty even if more pages follow. */
  readonly pages: AsyncIterable<readonly UserRow[]>
  /**
   * Must be called after the last page. Returns the cursor for the next part, or null at the end of the list.
   */
  readonly next: () => string | null
}

/** The users that a caller can see. */
export type Visible = { readonly project: ProjectRow; readonly issuer: Issuer | undefined }

/** Sorted by creation time by default. `asc` is oldest first, and `desc` newest first. */
export type UserListQuery = Omit<PageQuery, 'order'> & {
  readonly sort?: 'created' | UserSort
  readonly order?: 'oldest' | 'newest' | 'asc' | 'desc'
}

/** Returns the total number of users in a list. */
export async function countListed({ db }: Deps, { project, issuer }: Visible): Promise<number> {
  return issuer ? countIssuedOfProject(db.read, issuer.id, project.id) : project.total_users
}

/** The list's name inside its cursors. */
const LIST = 'user'

/** If the caller is an issuer, lists only the users that the caller issued. */
export async function listUsers(
  deps: Deps,
  { project, issuer }: Visible,
  asked: UserListQuery,
): Promise<UserPages | Refused<'invalid_request'>> {
  const query = byCreation(asked)
  const { from = 0, limit, order } = query
  const isNewestFirst = order === 'newest'
  const matching: Matching = {
    ...{ projectId: project.id, issuer: issuer?.id, filter: {}, plans: [] },
    ...timesAt(deps.now()),
    isNewestFirst,
  }
  if (asked.sort !== undefined && asked.sort !== 'created')
    return listSorted(deps, matching, asked.sort, query)
  const start = readAfter(LIST, query)
  if (start instanceof Refused) return start
  if (issuer) {
    const after = start ?? (isNewestFirst ? NEWEST : 0)
    return pagesOf(readRange(deps, matching), { after, limit, skip: from, order })
  }
  if (isNewestFirst)
    return pagesOf(readNewest(deps, project), { after: start ?? NEWEST, limit, skip: from, order })
  const after = from === 0 ? (start ?? 0) : await findUserSeqAt(deps.db.read, project.id, from - 1)
  return pagesOf(readAll(deps, project), { after, limit })
}

function byCreation({ sort: _, order, ...query }: UserListQuery): PageQuery {
  if (order === undefined) return query
  return { ...query, order: order === 'desc' || order === 'newest' ? 'newest' : 'oldest' }
}

/** Strings must match exactly. An empty string adds no condition. */
export async function filterUsers(
  deps: Deps,
  { project, issuer }: Visible,
  filter: UserFilter,
  given: UserListQuery,
): Promise<UserPages | Refused<'must_filter_something' | 'invalid_request'>> {
  const asked = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')) as UserFilter
  if (Object.keys(asked).length === 0) return refuse('must_filter_something')
  const query = byCreation(given)
  const isNewestFirst = query.order === 'newest'
  const plans = asked.status === undefined ? [] : await listPlans(deps.db.read, project.id)
  const hit = asked.status === undefined ? [] : await listBannedUsers(deps, project.id)
  const matching = {
    ...{ projectId: project.id, issuer: issuer?.id, filter: asked, plans, hit },
    ...timesAt(deps.now()),
    isNewestFirst,
  }
  if (given.sort !== undefined && given.sort !== 'created')
    return listSorted(deps, matching, given.sort, query)
  const start = readAfter(LIST, query)
  if (start instanceof Refused) return start
  const { from: skip, limit, order } = query
  const read =
    issuer === undefined && (await isNarrowedByTerm(deps, asked))
      ? readFound(deps, matching)
      : readRange(deps, matching)
  return pagesOf(read, { after: start ?? (isNewestFirst ? NEWEST : 0), limit, skip, order })
}

/** Counts a project's users by status. */
export async function countUsers(deps: Deps, { id }: ProjectRow): Promise<StatusCounts> {
  const all = Object.fromEntries(USER_STATUSES.map((status) => [status, 0])) as StatusCounts
  const plans = await listPlans(deps.db.read, id)
  const counted = { projectId: id, ...timesAt(deps.now()), plans }
  const banned = await listBannedUsers(deps, id)
  for (let after: number | undefined = 0; after !== undefined; await setImmediate()) {
    const size = deps.db.rowsAtOnce * ENTRIES_A_ROW
    const end: number | undefined = await findRangeEnd(deps.db.read, counted, { after, size })
    const hit = numbersBetween(banned, after, end)
    const counts = await countStatuses(deps.db.read, counted, { after, end }, hit)
    for (const status of USER_STATUSES) all[status] += counts[status]
    after = end
  }
  return all
}

/** Returns those of the numbers that are greater than `after` and at most `end`. */
function numbersBetween(all: readonly number[], after: number, end = NEWEST): readonly number[] {
  return all.filter((seq) => seq > after && seq <= end)
}

type Between = { readonly from?: number; readonly to?: number }

/** Counts users created from `from` up to `to` (exclusive), or up to now. */
export async function countNewUsers(
  deps: Deps,
  { id }: ProjectRow,
  { from = 0, to = NEWEST }: Between,
): Promise<number> {
  let count = 0
  for (let at: number | undefined = from; at !== undefined && at < to; await setImmediate()) {
    count += await countCreatedAt(deps, id, at)
    const after: number = at
    const range = { projectId: id, after, before: to }
    at = (await findCreatedEnd(deps.db.read, range, deps.db.rowsAtOnce * ENTRIES_A_ROW))?.at
    count += await countCreated(deps.db.read, { ...range, before: at ?? to })
  }
  return count
}

/** Users of one import share a creation time, so even users with a single timestamp are counted in parts. */
async function countCreatedAt(deps: Deps, projectId: string, at: number): Promise<number> {
  let count = 0
  for (let afterSeq: number | undefined = 0; afterSeq !== undefined; await setImmediate()) {
    const range = { projectId, at, afterSeq }
    const end = await findCreatedEnd(deps.db.read, range, deps.db.rowsAtOnce * ENTRIES_A_ROW)
    count += await countCreated(deps.db.read, { ...range, ...(end && { endSeq: end.seq }) })
    afterSeq = end?.seq
  }
  return count
}

/** Reads a project's users for an export. */
export function everyUser(deps: Deps, project: ProjectRow): AsyncIterable<readonly ExportedUser[]> {
  const read: Read<ExportedUser> = async (after, limit) => {
    const rows = await listExportedUsers(deps.db.read, project.id, { after, limit })
    return { rows, end: rows.length < limit ? undefined : rows.at(-1)?.seq }
  }
  return walk({ read, placeOf: ({ seq }) => seq }, { after: 0 }, { next: undefined })
}

type Query = Bounds & { readonly order?: PageQuery['order'] | undefined }

function pagesOf(read: Read<UserRow>, { order, ...bounds }: Query): UserPages {
  const place: Next = { next: undefined }
  return {
    pages: walk({ read, placeOf: ({ seq }) => seq }, bounds, place),
    next: () =>
      place.next === undefined
        ? null
        : writeCursor(cursorName(LIST, { ...(order && { order }) }), place.next),
  }
}
