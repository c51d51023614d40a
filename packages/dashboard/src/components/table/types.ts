/** Types of a table's columns and properties. */
import type { ReactNode } from 'react'

export type Column<Row> = {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly isNumber?: boolean
  /**
   * Whether the column identifies the row. Such a column is always visible, even when the table is scrolled
   * sideways.
   */
  readonly isMain?: boolean
  /** Whether the main cell already contains a link with `data-open`, so that it needs no button. */
  readonly isLink?: boolean
  /** The API's sort field for this column, and the direction of the first click. */
  readonly sort?: { readonly by: string; readonly isDescending?: boolean }
  /** Position in the two-line layout of narrow windows, which omits columns without a position. */
  readonly place?: 'below' | 'end' | 'end-below'
}

export type Selection = {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

export type Sorting = {
  /** Undefined for the default order. */
  readonly by: string | undefined
  readonly isDescending: boolean
  readonly onChange: (by: string | undefined, isDescending: boolean) => void
}

export type TableProps<Row> = {
  /** Accessible name of the table. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly columns: readonly Column<Row>[]
  /** Total number of matches, including those that are not loaded. */
  readonly total?: number | undefined
  readonly more?: { readonly isLoading: boolean; readonly load: () => void } | undefined
  readonly selection?: Selection
  readonly sorting?: Sorting
  readonly isCompact?: boolean
  readonly onOpen?: (row: Row) => void
  /** Key of the row whose details are open. It is marked and kept in view. */
  readonly opened?: string | undefined
  readonly onEdit?: (row: Row) => void
  readonly actions?: (row: Row) => ReactNode
}
