/**
 * Pagination of lists. A page begins at an index or after a cursor from an earlier page. A cursor names the list and the
 * number of a row, so it is fast at any depth and does not shift when rows are added or removed.
 */
import type { KeysetRange, Order } from '../database/keyset-range.ts'
import { Refused, refuseMember } from './refusals.ts'

/** `from` is an index, `after` the `next` of an earlier page; give at most one of them. */
export type PageQuery = {
  readonly from?: number
  readonly limit?: number
  readonly after?: string
  /** By creation; oldest first unless given. A cursor belongs to one order. */
  readonly order?: Order
}

/** The list's name in its cursors, and the number by which its rows are ordered. */
export type ListSpec<Row> = { readonly name: string; readonly numberOf: (row: Row) => number }

/** `next` is the cursor of the next page; null when there is none, or this page has no rows. */
export type Page<Row> = { readonly rows: Row[]; readonly next: string | null }

const CURSOR = /^([a-z]+):(\d{1,15})$/
/** Leaves room for one more row. */
const ALL = Number.MAX_SAFE_INTEGER - 1

/** `read` is asked for one row more than wanted, which shows whether there is a next page. */
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

/** Of a list in one order, so that a cursor of the other one is refused. */
export function cursorName(name: string, { order }: Pick<PageQuery, 'order'>): string {
  return order === 'newest' ? `${name}newest` : name
}

export function writeCursor(name: string, number: number): string {
  return Buffer.from(`${name}:${number}`).toString('base64url')
}

/** The number of the row to begin after; undefined without a cursor. */
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
