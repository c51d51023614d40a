/** A page of a keyset-ordered list: at most `limit` rows, after the row `after` (from the start when undefined) and `from` more. */
export type KeysetRange = {
  /** Number of a row in the order of the list. */
  readonly after: number | undefined
  readonly from: number
  readonly limit: number
  /** By creation; oldest first unless given. */
  readonly order?: Order
}
export type Order = 'oldest' | 'newest'

/** How a statement goes on from a row: its number compared with `start`, in this direction. */
export function keysetOrder({ after, order }: Pick<KeysetRange, 'after' | 'order'>) {
  return order === 'newest'
    ? ({ beyond: '<', start: after ?? Number.MAX_SAFE_INTEGER, direction: 'desc' } as const)
    : ({ beyond: '>', start: after ?? 0, direction: 'asc' } as const)
}
