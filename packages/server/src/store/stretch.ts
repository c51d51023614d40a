/** Which rows of a list are read: at most `limit`, behind the row `after` (all when undefined) and `from` more. */
export type Stretch = {
  /** Number of a row in the order of the list. */
  readonly after: number | undefined
  readonly from: number
  readonly limit: number
}
