/** A page of a keyset-ordered list: at most `limit` rows, after the row `after` (from the start when undefined) and `from` more. */
export type KeysetRange = {
  /** Number of a row in the order of the list. */
  readonly after: number | undefined
  readonly from: number
  readonly limit: number
}
