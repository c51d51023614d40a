/**
 * Parts of lists. A part begins at an index or after what an earlier part called its end; that is a cursor, which names
 * the list and the number of a row in it, so that it is quick at any depth and rows that come and go shift no others.
 */
import type { KeysetRange } from '../store/keyset-range.ts'
import { Refused, refuseMember } from './refusals.ts'

/** `from` is an index, `after` what an earlier part of the list said comes next; one of them at the most. */
export type Part = { readonly from?: number; readonly limit?: number; readonly after?: string }

/** What a list is called in its cursors, and which number gives its rows their order. */
export type Listed<Row> = { readonly name: string; readonly numberOf: (row: Row) => number }

/** `next` is what the next part begins after; null when there is none, or no row to begin after. */
export type PartOfList<Row> = { readonly rows: Row[]; readonly next: string | null }

const CURSOR = /^([a-z]+):(\d{1,15})$/
/** Leaves room for the row by which the next part is noticed. */
const ALL = Number.MAX_SAFE_INTEGER - 1

/** `read` is asked for one row more than wanted, which tells whether there is a next part. */
export async function readPart<Row>(
  { name, numberOf }: Listed<Row>,
  part: Part,
  read: (range: KeysetRange) => Promise<Row[]>,
): Promise<PartOfList<Row> | Refused<'invalid_request'>> {
  const after = readAfter(name, part)
  if (after instanceof Refused) return after
  const { from = 0, limit = ALL } = part
  const found = await read({ after, from, limit: Math.min(limit, ALL) + 1 })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const isMore = last !== undefined && found.length > rows.length
  return { rows, next: isMore ? writeCursor(name, numberOf(last)) : null }
}

export function writeCursor(name: string, number: number): string {
  return Buffer.from(`${name}:${number}`).toString('base64url')
}

/** The number of the row to begin after; undefined for a part that names none. */
export function readAfter(
  name: string,
  { from, after }: Part,
): number | undefined | Refused<'invalid_request'> {
  if (after === undefined) return undefined
  if (from !== undefined) return refuseMember('from', 'must not be given together with after')
  const [, list, number] = CURSOR.exec(Buffer.from(after, 'base64url').toString('latin1')) ?? []
  return list === name ? Number(number) : refuseMember('after', 'must be the next of an earlier answer')
}
