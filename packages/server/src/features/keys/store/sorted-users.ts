/**
 * Reads users sorted by a field. Users without a value come last in both directions, and are read like an
 * unsorted list.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { isMatch, type Matching, narrowed } from './user-filter.ts'
import type { UserRow } from './users.ts'

export const USER_SORTS = ['expires', 'last_used', 'note'] as const
export type UserSort = (typeof USER_SORTS)[number]

/** `value` is undefined before the first user, and null among users without a value. */
export type SortedPlace = { readonly value?: string | number | null; readonly seq: number }
export type SortedRow = UserRow & { readonly sort_value: string | number | null }

/** `isByTerm` is true if the search term is rarer than any other condition. */
export type Sorted = {
  readonly matching: Matching
  readonly sort: UserSort
  readonly isByTerm: boolean
}
type From = { readonly after: SortedPlace; readonly limit: number }

/** Columns in which null means that the user has no value. */
const COLUMNS = { expires: 'u.key_expires', last_used: 'u.last_used_day', note: 'u.note' } as const

const sortedBy = (db: Queries, sort: UserSort): RawBuilder<unknown> =>
  sql.raw(sort === 'note' ? dialectOf(db).lower(COLUMNS.note) : COLUMNS[sort])

/** A condition for users without a value, for statements that read `users as u`. */
export const isWithout = (sort: UserSort): RawBuilder<SqlBool> => sql`${sql.raw(COLUMNS[sort])} is null`
const isWith = (sort: UserSort): RawBuilder<SqlBool> => sql`${sql.raw(COLUMNS[sort])} is not null`

/** Returns whether at most `most` users can match, so that sorting all of them is fast. */
export const isShort = async (
  db: Queries,
  { matching, isByTerm }: Sorted,
  most: number,
): Promise<boolean> => {
  const { rows } = await sql`${narrowed(db, matching, isByTerm)} limit 1 offset ${most}`.execute(db)
  return rows.length === 0
}

/** Sorts all matches of a short list and returns the first `limit` after a position. */
export const listShort = async (
  db: Queries,
  { matching, sort, isByTerm }: Sorted,
  { after, limit }: From,
): Promise<SortedRow[]> => {
  const value = sortedBy(db, sort)
  const { direction, beyond } = orderOf(matching)
  const isLater = sql`(${value}, u.seq) ${beyond} (${after.value}, ${after.seq})`
  const isAfter =
    after.value === null
      ? sql`(${isWithout(sort)} and u.seq ${beyond} ${after.seq})`
      : sql`(${isWithout(sort)} or ${isLater})`
  const { rows } = await sql<SortedRow>`select u.*, ${value} as sort_value
    from (${narrowed(db, matching, isByTerm)}) as near cross join users as u
    where u.seq = near.seq and u.project_id = ${matching.projectId} and ${isMatch(db, matching)}
      and ${after.value === undefined ? sql`1 = 1` : isAfter}
    order by case when ${isWithout(sort)} then 1 else 0 end, ${value} ${direction}, u.seq ${direction}
    limit ${limit}`.execute(db)
  return rows
}

/** Lists the first `limit` matches among the next `size` users with a value, in index order. */
export const listInOrder = async (
  db: Queries,
  sorted: Sorted,
  { after, limit, size }: From & { readonly size: number },
): Promise<SortedRow[]> => {
  const { direction } = orderOf(sorted.matching)
  const { rows } = await sql<SortedRow>`select u.*, near.sort_value
    from (${inOrder(db, sorted, after)} limit ${size}) as near cross join users as u
    where u.seq = near.seq and ${isMatch(db, sorted.matching)}
    order by near.sort_value ${direction}, near.seq ${direction} limit ${limit}`.execute(db)
  return rows
}

/**
 * Returns the position of the last of the next `size` users with a value, or undefined if there are fewer.
 */
export const findPlaceAfter = async (
  db: Queries,
  sorted: Sorted,
  { after, size }: { readonly after: SortedPlace; readonly size: number },
): Promise<SortedPlace | undefined> => {
  const { rows } = await sql<{ seq: number; sort_value: string | number }>`${inOrder(db, sorted, after)}
    limit 1 offset ${size - 1}`.execute(db)
  const [row] = rows
  return row && { value: row.sort_value, seq: row.seq }
}

function inOrder(db: Queries, { matching, sort }: Sorted, { value: last, seq }: SortedPlace) {
  const value = sortedBy(db, sort)
  const { direction, beyond } = orderOf(matching)
  // The first comparison lets SQLite seek within the expression index.
  const isLater = sql`${value} ${beyond}= ${last} and (${value}, u.seq) ${beyond} (${last}, ${seq})`
  return sql`select u.seq, ${value} as sort_value from users as u
    where u.project_id = ${matching.projectId} and ${isWith(sort)}
      and ${last === undefined ? sql`1 = 1` : isLater}
    order by ${value} ${direction}, u.seq ${direction}`
}

const orderOf = ({ isNewestFirst }: Matching) =>
  isNewestFirst ? { direction: sql`desc`, beyond: sql`<` } : { direction: sql`asc`, beyond: sql`>` }
