/** Reads long lists of users in parts. */

/** Number of rows per read. On SQLite, each read blocks the event loop for a few milliseconds. */
const READ_ROWS = 500
/** Number of rows per page, which is low enough for fast garbage collection. */
const PAGE_ROWS = 250

/**
 * Reads at most `count` users. `end` is the position of the last user examined, or undefined at the end of
 * the list.
 */
export type Read<Row, Place = number> = (
  after: Place,
  count: number,
) => Promise<{ rows: Row[]; end: Place | undefined }>

export type Bounds<Place = number> = {
  readonly after: Place | undefined
  readonly limit?: number | undefined
  readonly skip?: number | undefined
}
/** The position at which the next page begins. */
export type Next<Place = number> = { next: Place | undefined }

/** Reads one extra row to find out whether there is a next page. */
export async function* walk<Row, Place>(
  { read, placeOf }: { readonly read: Read<Row, Place>; readonly placeOf: (row: Row) => Place },
  { after, limit = Number.POSITIVE_INFINITY, skip = 0 }: Bounds<Place>,
  place: Next<Place>,
): AsyncGenerator<readonly Row[]> {
  let last = after
  let left = limit
  let skipped = 0
  for (let from = after; from !== undefined; ) {
    const { rows, end }: Awaited<ReturnType<typeof read>> = await read(
      from,
      Math.min(READ_ROWS, skip - skipped + left + 1),
    )
    const wanted = rows.slice(skip - skipped)
    skipped += rows.length - wanted.length
    const page = wanted.slice(0, left)
    left -= page.length
    const final = page.at(-1)
    if (final !== undefined) last = placeOf(final)
    for (let start = 0; start === 0 || start < page.length; start += PAGE_ROWS)
      yield page.slice(start, start + PAGE_ROWS)
    if (wanted.length > page.length) {
      place.next = last
      return
    }
    from = end
  }
}
