/**
 * Reads user lists of any length in bounded parts and in order of creation. Neither memory nor other requests are
 * affected by a project's size.
 */
import { setImmediate } from 'node:timers/promises'
import { USER_STATUSES } from '@scriptward/client/user-statuses'
import { cursorName, type PageQuery, readAfter, writeCursor } from '../../api/pagination.ts'
import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Issuer } from '../access/caller.ts'
import { listBannedUsers } from '../bans/banned-users.ts'
import {
  countCreated,
  countStatuses,
  findCreatedEnd,
  findRangeEnd,
  type StatusCounts,
} from '../key-validity/store/user-status.ts'
import { listPlans } from '../plans/store.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { type ExportedUser, listExportedUsers } from './store/user-bulk.ts'
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
import {
  countIssuedOfProject,
  findUserSeqAt,
  listUsersAfter,
  listUsersBefore,
  type UserRow,
} from './store/users.ts'

export type UserPages = {
  /** A page may be empty even if more pages follow. */
  readonly pages: AsyncIterable<readonly UserRow[]>
  /** Call it after the last page. Returns the cursor for the next part; null at the end. */
  readonly next: () => string | null
}

/** The users that a caller can see. */
export type Visible = { readonly project: ProjectRow; readonly issuer: Issuer | undefined }

/** Returns the total number of users in a list. */
export async function countListed({ db }: Deps, { project, issuer }: Visible): Promise<number> {
  return issuer ? countIssuedOfProject(db.read, issuer.id, project.id) : project.total_users
}

/** The list's name in cursors. */
const LIST = 'user'
/** Greater than every user's `seq`. */
const NEWEST = Number.MAX_SAFE_INTEGER
/** Rows per read, which blocks the event loop for a few milliseconds on SQLite. */
const READ_ROWS = 500
/** Rows per yielded page, few enough for fast garbage collection. */
const PAGE_ROWS = 250
/** If at most this many users contain a search term, checking each one is faster than scanning the project. */
const RARE = 10_000
/** Number of index entries that can be scanned in the time it takes to read one table row. */
const ENTRIES_A_ROW = 10

/** If the caller is an issuer, only its own users are listed. */
export async function listUsers(
  deps: Deps,
  { project, issuer }: Visible,
  query: PageQuery,
): Promise<UserPages | Refused<'invalid_request'>> {
  const start = readAfter(LIST, query)
  if (start instanceof Refused) return start
  const { from = 0, limit, order } = query
  const isNewestFirst = order === 'newest'
  if (issuer) {
    const matching = {
      projectId: project.id,
      issuer: issuer.id,
      filter: {},
      now: deps.now(),
      plans: [],
      isNewestFirst,
    }
    const after = start ?? (isNewestFirst ? NEWEST : 0)
    return pagesOf(readRange(deps, matching), { after, limit, skip: from, order })
  }
  if (isNewestFirst)
    return pagesOf(readNewest(deps, project), { after: start ?? NEWEST, limit, skip: from, order })
  const after = from === 0 ? (start ?? 0) : await findUserSeqAt(deps.db.read, project.id, from - 1)
  return pagesOf(readAll(deps, project), { after, limit })
}

/** Strings must match exactly. An empty string adds no condition. */
export async function filterUsers(
  deps: Deps,
  { project, issuer }: Visible,
  filter: UserFilter,
  query: PageQuery,
): Promise<UserPages | Refused<'must_filter_something' | 'invalid_request'>> {
  const asked = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== '')) as UserFilter
  if (Object.keys(asked).length === 0) return refuse('must_filter_something')
  const start = readAfter(LIST, query)
  if (start instanceof Refused) return start
  const { from: skip, limit, order } = query
  const isNewestFirst = order === 'newest'
  const plans = asked.status === undefined ? [] : await listPlans(deps.db.read, project.id)
  const hit = asked.status === undefined ? [] : await listBannedUsers(deps, project.id)
  const matching = {
    ...{ projectId: project.id, issuer: issuer?.id, filter: asked, now: deps.now(), plans, hit },
    isNewestFirst,
  }
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
  const counted = { projectId: id, now: deps.now(), plans }
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

/** Returns the numbers greater than `after`, up to and including `end`. */
function numbersBetween(all: readonly number[], after: number, end = NEWEST): readonly number[] {
  return all.filter((seq) => seq > after && seq <= end)
}

type Between = { readonly from?: number; readonly to?: number }

/** Counts users created from `from` until before `to`, or until now. */
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

/** Users from one import share a creation time, so even one timestamp is counted in parts. */
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
  return walk(read, { after: 0 }, { next: undefined })
}

/** Reads at most `count` users. `end` is the last user examined; undefined when the list ends. */
type Read<Row> = (after: number, count: number) => Promise<{ rows: Row[]; end: number | undefined }>

/** A filter that identifies a single user is narrower than any search term. */
async function isNarrowedByTerm(deps: Deps, { key, chat_id, search }: UserFilter): Promise<boolean> {
  if (search === undefined || key !== undefined || chat_id !== undefined) return false
  return isRareTerm(deps.db.read, search, RARE)
}

function readAll(deps: Deps, project: ProjectRow): Read<UserRow> {
  return async (after, limit) => {
    const rows = await listUsersAfter(deps.db.read, project.id, { after, limit })
    return { rows, end: rows.length < limit ? undefined : rows.at(-1)?.seq }
  }
}

function readNewest(deps: Deps, project: ProjectRow): Read<UserRow> {
  return async (before, limit) => {
    const rows = await listUsersBefore(deps.db.read, project.id, { before, limit })
    return { rows, end: rows.length < limit ? undefined : rows.at(-1)?.seq }
  }
}

function readFound(deps: Deps, matching: Matching): Read<UserRow> {
  return async (after, limit) => {
    const rows = await listFoundUsers(deps.db.read, matching, { after, limit })
    return { rows, end: rows.length < limit ? undefined : rows.at(-1)?.seq }
  }
}

function readRange(deps: Deps, matching: Matching): Read<UserRow> {
  if (isByStatus(matching)) return readByStatus(deps, matching)
  const { key, chat_id } = matching.filter
  return async (after, limit) => {
    const stretch = { after, size: deps.db.rowsAtOnce }
    const rows = await listMatchingUsers(deps.db.read, matching, { ...stretch, limit })
    // Keys and chat IDs are unique within a project, so there are no more matches.
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

type Bounds = {
  readonly after: number | undefined
  readonly limit?: number | undefined
  readonly skip?: number | undefined
  readonly order?: PageQuery['order'] | undefined
}
type Place = { next: number | undefined }

function pagesOf(read: Read<UserRow>, bounds: Bounds): UserPages {
  const place: Place = { next: undefined }
  return {
    pages: walk(read, bounds, place),
    next: () =>
      place.next === undefined
        ? null
        : writeCursor(cursorName(LIST, { ...(bounds.order && { order: bounds.order }) }), place.next),
  }
}

/** Reads one extra row to detect whether there is a next page. */
async function* walk<Row extends { readonly seq: number }>(
  read: Read<Row>,
  { after, limit = Number.POSITIVE_INFINITY, skip = 0 }: Bounds,
  place: Place,
): AsyncGenerator<readonly Row[]> {
  let last = after ?? 0
  let left = limit
  let skipped = 0
  for (let from = after; from !== undefined; ) {
    const { rows, end } = await read(from, Math.min(READ_ROWS, skip - skipped + left + 1))
    const wanted = rows.slice(skip - skipped)
    skipped += rows.length - wanted.length
    const page = wanted.slice(0, left)
    left -= page.length
    last = page.at(-1)?.seq ?? last
    for (let start = 0; start === 0 || start < page.length; start += PAGE_ROWS)
      yield page.slice(start, start + PAGE_ROWS)
    if (wanted.length > page.length) {
      place.next = last
      return
    }
    from = end
  }
}
