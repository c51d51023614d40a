/**
 * Pagination of lists. A page starts at an index or after a cursor from an earlier page. A cursor contains
 * the list's name and a row number, so paging by cursor is fast at any depth, and pages don't shift when rows
 * are added or removed.
 */
import type { KeysetRange, Order } from '../database/keyset-range.ts'
import { Refused, refuseMember } from './refusals.ts'

/** `from` is an index, and `after` is the `next` value of an earlier page. At most one of them is allowed. */
export type PageQuery = {
  readonly from?: number
  readonly limit?: number
  readonly after?: string
  /** Order of creation, oldest first by default. A cursor is valid for one order only. */
  readonly order?: Order
}

/** The list's name, which is part of its cursors, and the number that its rows are ordered by. */
export type ListSpec<Row> = { readonly name: string; readonly numberOf: (row: Row) => number }

/** `next` is the cursor of the next page. It is null if there is no next page or this page has no rows. */
export type Page<Row> = { readonly rows: Row[]; readonly next: string | null }

const CURSOR = /^([a-z]+):(\d{1,15})$/
/** `readPage` adds 1, and the result must not exceed the largest safe integer. */
const ALL = Number.MAX_SAFE_INTEGER - 1

/** `read` is called for one extra row, which reveals whether there is a next page. */
export async function readPage<Row>(
  { name, numberOf }: ListSpec<Row>,
  query: PageQuery,
  read: (range: KeysetRange) => Promise<Row[]>,
): Promise<Page<Row> | Refused<'invalid_request'>> {
  const after = readAfter(name, query)
  if (after instanceof Refused) return after
  const { from = 0, limit = ALL, order } = query
  const asked = { after, from, limit: Math.min(limit, ALL) + 1 }
  const found = await read(order === undefined ? asked : { ...asked, order })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const isMore = last !== undefined && found.length > rows.length
  return { rows, next: isMore ? writeCursor(cursorName(name, query), numberOf(last)) : null }
}

/** The list's name in cursors of one order, so that cursors of the other order are rejected. */
export function cursorName(name: string, { order }: Pick<PageQuery, 'order'>): string {
  return order === 'newest' ? `${name}newest` : name
}

export function writeCursor(name: string, number: number): string {
  return Buffer.from(`${name}:${number}`).toString('base64url')
}

/** The number of the row to start after; undefined without a cursor. */
export function readAfter(
  name: string,
  { from, after, order }: PageQuery,
): number | undefined | Refused<'invalid_request'> {
  if (after === undefined) return undefined
  if (from !== undefined) return refuseMember('from', 'cannot be combined with after')
  const [, list, number] = CURSOR.exec(Buffer.from(after, 'base64url').toString('latin1')) ?? []
  return list === cursorName(name, { ...(order && { order }) })
    ? Number(number)
    : refuseMember('after', 'must be the next cursor of an earlier response to the same list')
}
