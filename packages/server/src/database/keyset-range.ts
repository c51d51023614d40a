/**
 * One page of a keyset-ordered list: at most `limit` rows. It skips everything up to the row `after`, if given, and
 * then `from` rows.
 */
export type KeysetRange = {
  /** Sequence number of a row in list order. */
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
