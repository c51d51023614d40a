/** One row of a table. */
import type { MouseEvent } from 'react'
import { text } from '../../messages/text.ts'
import styles from './table.module.css'
import { Tick } from './tick.tsx'
import type { Column, TableProps } from './types.ts'

type Props<Row> = {
  readonly given: TableProps<Row>
  readonly row: Row
  readonly index: number
  readonly isAtCursor: boolean
  readonly isOpened: boolean
  readonly onTick: (index: number, isTicked: boolean, isRange: boolean) => void
  readonly measure: (element: Element | null) => void
}

const INTERACTIVE = 'a, button, input, label, select, textarea, summary, [role="menu"]'

export function Line<Row>({ given, row, index, isAtCursor, isOpened, onTick, measure }: Props<Row>) {
  const { columns, keyOf, selection, onOpen, actions } = given
  const key = keyOf(row)
  const open = (event: MouseEvent) => {
    const isOnControl = event.target instanceof Element && event.target.closest(INTERACTIVE) !== null
    if (!isOnControl && getSelection()?.isCollapsed !== false) onOpen?.(row)
  }
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      tabIndex={isAtCursor ? -1 : undefined}
      data-cursor={isAtCursor || isOpened || undefined}
      aria-current={isOpened || undefined}
      data-opens={onOpen ? true : undefined}
      className={selection?.chosen.has(key) ? styles.chosen : undefined}
      onClick={onOpen && open}
    >
      {selection && (
        <td className={styles.check}>
          <Tick
            label={text.frame.selectRow(key)}
            isTicked={selection.chosen.has(key)}
            onTick={(isTicked, isRange) => onTick(index, isTicked, isRange)}
          />
        </td>
      )}
      {columns.map((column) => (
        <Cell key={column.id} column={column} row={row} onOpen={onOpen} />
      ))}
      {actions && <td className={styles.actions}>{actions(row)}</td>}
    </tr>
  )
}

type CellProps<Row> = {
  readonly column: Column<Row>
  readonly row: Row
  readonly onOpen: ((row: Row) => void) | undefined
}

function Cell<Row>({ column, row, onOpen }: CellProps<Row>) {
  const { title, cell, isNumber, isMain, isLink, place } = column
  const classes = [isNumber && styles.number, isMain && styles.main].filter(Boolean).join(' ') || undefined
  return (
    <td data-title={title} data-place={place} className={classes}>
      {isMain && !isLink && onOpen ? (
        <button type="button" className={styles.open} data-open onClick={() => onOpen(row)}>
          {cell(row)}
        </button>
      ) : (
        cell(row)
      )}
    </td>
  )
}
