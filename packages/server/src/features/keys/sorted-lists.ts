/**
 * Lists users sorted by a field. A list with few candidates is sorted all at once. A long list is read in
 * parts from an index in the same order.
 */
import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isNarrowedByTerm, NEWEST, RARE, readRange } from './read-users.ts'
import {
  findPlaceAfter,
  isShort,
  isWithout,
  listInOrder,
  listShort,
  type Sorted,
  type SortedPlace,
  type SortedRow,
  type UserSort,
} from './store/sorted-users.ts'
import type { Matching } from './store/user-filter.ts'
import type { UserRow } from './store/users.ts'
import { type Bounds, type Next, type Read, walk } from './walk.ts'

/** The last day that the column can store. */
const MAX_DAY = 2 ** 31 - 1

type SortedPages = { readonly pages: AsyncIterable<readonly UserRow[]>; readonly next: () => string | null }
type Query = { readonly from?: number; readonly limit?: number; readonly after?: string }

/** Lists users in descending order if `matching.isNewestFirst` is set, and otherwise in ascending order. */
export async function listSorted(
  deps: Deps,
  matching: Matching,
  sort: UserSort,
  { from, limit, after }: Query,
): Promise<SortedPages | Refused<'invalid_request'>> {
  const name = `user ${sort} ${matching.isNewestFirst ? 'desc' : 'asc'}`
  const start = after === undefined ? { seq: 0 } : readCursor(name, after)
  if (start instanceof Refused) return start
  if (after !== undefined && from !== undefined) return refuseMember('from', 'cannot be combined with after')
  const isByTerm = matching.issuer === undefined && (await isNarrowedByTerm(deps, matching.filter))
  const sorted = { matching, sort, isByTerm }
  const read = (await isShort(deps.db.read, sorted, RARE)) ? readShort(deps, sorted) : readLong(deps, sorted)
  const bounds: Bounds<SortedPlace> = { after: start, limit, skip: from }
  const place: Next<SortedPlace> = { next: undefined }
  return {
    pages: walk({ read, placeOf }, bounds, place),
    next: () => (place.next === undefined ? null : writeCursor(name, place.next)),
  }
}

const placeOf = ({ sort_value, seq }: SortedRow): SortedPlace => ({ value: sort_value, seq })

function readShort({ db }: Deps, sorted: Sorted): Read<SortedRow, SortedPlace> {
  return async (after, limit) => {
    const rows = await listShort(db.read, sorted, { after, limit })
    const last = rows.at(-1)
    return { rows, end: rows.length < limit || last === undefined ? undefined : placeOf(last) }
  }
}

function readLong(deps: Deps, sorted: Sorted): Read<SortedRow, SortedPlace> {
  const { db } = deps
  const size = db.rowsAtOnce
  const without = readWithout(deps, sorted)
  return async (after, limit) => {
    if (after.value === null) return without(after, limit)
    const rows = await listInOrder(db.read, sorted, { after, limit, size })
    const last = rows.at(-1)
    if (rows.length === limit && last !== undefined) return { rows, end: placeOf(last) }
    const end = await findPlaceAfter(db.read, sorted, { after, size })
    return { rows, end: end ?? { value: null, seq: sorted.matching.isNewestFirst ? NEWEST : 0 } }
  }
}

function readWithout(deps: Deps, { matching, sort }: Sorted): Read<SortedRow, SortedPlace> {
  const read = readRange(deps, { ...matching, also: isWithout(sort) })
  return async ({ seq }, limit) => {
    const { rows, end } = await read(seq, limit)
    return {
      rows: rows.map((row) => ({ ...row, sort_value: null })),
      end: end === undefined ? undefined : { value: null, seq: end },
    }
  }
}

function writeCursor(name: string, { value, seq }: SortedPlace): string {
  return Buffer.from(JSON.stringify([name, value ?? null, seq])).toString('base64url')
}

function readCursor(name: string, cursor: string): SortedPlace | Refused<'invalid_request'> {
  try {
    const [list, value, seq]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (list === name && isValue(name, value) && Number.isSafeInteger(seq)) return { value, seq: Number(seq) }
  } catch {
    // The cursor is malformed or belongs to another kind of list.
  }
  return refuseMember('after', 'must be the next cursor of an earlier response to the same list')
}

/** Rejects forged values, which PostgreSQL may be unable to compare with the column. */
function isValue(name: string, value: unknown): value is string | number | null {
  if (value === null) return true
  if (name.startsWith('user note')) return typeof value === 'string' && !value.includes('\0')
  const most = name.startsWith('user last_used') ? MAX_DAY : Number.MAX_SAFE_INTEGER
  return Number.isSafeInteger(value) && Math.abs(Number(value)) <= most
}
