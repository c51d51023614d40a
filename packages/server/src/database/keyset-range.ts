/**
 * One page of a keyset-ordered list: at most `limit` rows. It skips everything up to and including the
 * `after` row, if given, and then `from` more rows.
 */
export type KeysetRange = {
  /** A row's sequence number in list order. */
  readonly after: number | undefined
  readonly from: number
  readonly limit: number
  /** Order by creation, oldest first by default. */
  readonly order?: Order
}
export type Order = 'oldest' | 'newest'

/** The comparison, start value and direction that continue a list after a row. */
export function keysetOrder({ after, order }: Pick<KeysetRange, 'after' | 'order'>) {
  return order === 'newest'
    ? ({ beyond: '<', start: after ?? Number.MAX_SAFE_INTEGER, direction: 'desc' } as const)
    : ({ beyond: '>', start: after ?? 0, direction: 'asc' } as const)
}
