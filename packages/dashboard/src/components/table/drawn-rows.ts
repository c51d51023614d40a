/** The table rows that are currently rendered. */
export type DrawnRows = {
  /** Positions in the list, ascending and without gaps. */
  readonly indexes: readonly number[]
  /** Height of the rows before and after the rendered ones, in pixels. */
  readonly before: number
  readonly after: number
  /** The `ref` of each row. */
  readonly measure: (element: Element | null) => void
  readonly show: (index: number) => void
  /** Index of the first row in view. */
  readonly firstInView: () => number
}

/** Number of rows to render initially: more than fit in a large window. */
const FIRST_ROWS = 40

/** The table rows until `virtual-rows.tsx` has loaded. */
export function firstRows(count: number): DrawnRows {
  const indexes = Array.from({ length: Math.min(count, FIRST_ROWS) }, (_, index) => index)
  return { indexes, before: 0, after: 0, measure: nothing, show: nothing, firstInView: () => 0 }
}

function nothing(): void {}
