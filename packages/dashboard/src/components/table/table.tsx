/**
 * The table used everywhere. Rows are virtualized, and the next page loads at the end of the list. In narrow
 * windows, a row has two lines, or is a card if its columns have no positions for that layout. Sorting,
 * filtering and paging happen on the server.
 */
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { type DrawnRows, firstRows } from './drawn-rows.ts'
import { Head } from './head.tsx'
import { KeyHints } from './key-hints.tsx'
import { Line } from './line.tsx'
import styles from './table.module.css'
import type { Column, TableProps } from './types.ts'
import { useCursor } from './use-cursor.ts'
import { useWideFrame } from './use-wide-frame.ts'

export type { Column, Selection } from './types.ts'

const VirtualRows = lazy(async () => ({ default: (await import('./virtual-rows.tsx')).VirtualRows }))

export function Table<Row>(given: TableProps<Row>) {
  const { label, rows, columns, total, more, selection, actions, isCompact = false } = given
  const frame = useRef<HTMLDivElement>(null)
  useWideFrame(frame)
  const [inView, setInView] = useState<DrawnRows>()
  const drawn = inView ?? firstRows(rows.length)
  const cursor = useCursor(frame, given, drawn)
  const opened = given.opened === undefined ? -1 : rows.findIndex((row) => given.keyOf(row) === given.opened)
  useEffect(() => {
    if (opened >= 0) drawn.show(opened)
  }, [opened, drawn.show])
  const span = columns.length + (selection ? 1 : 0) + (actions ? 1 : 0)
  return (
    <>
      <div
        ref={frame}
        className={styles.frame}
        data-keys={given.onOpen || selection ? true : undefined}
        data-lines={linesOf(columns)}
        data-compact={isCompact || undefined}
      >
        <table className={styles.table} aria-label={label} aria-rowcount={total ?? -1}>
          <Head given={given} />
          <tbody>
            <Gap height={drawn.before} span={span} />
            {drawn.indexes.map((index) => {
              const row = rows[index]
              return row === undefined ? null : (
                <Line
                  key={given.keyOf(row)}
                  given={given}
                  row={row}
                  index={index}
                  isAtCursor={index === cursor.at}
                  isOpened={index === opened}
                  onTick={cursor.tick}
                  measure={drawn.measure}
                />
              )
            })}
            <Gap height={drawn.after} span={span} />
          </tbody>
        </table>
        {more?.isLoading && (
          <p className={styles.more} role="status">
            {text.frame.loadingMore}
          </p>
        )}
      </div>
      <KeyHints given={given} />
      <Suspense>
        <VirtualRows
          frame={frame}
          count={rows.length}
          more={more}
          isCompact={isCompact}
          onDrawn={setInView}
        />
      </Suspense>
    </>
  )
}

/** Shows the number of rows next to the filters. */
export function ShownOf({ shown, total }: { shown: number; total: number | undefined }) {
  return (
    <span className="hint" role="status">
      {total === undefined ? number(shown) : text.frame.shownOf(shown, total)}
    </span>
  )
}

/** In narrow windows, the main column spans both lines if there is no column below it. */
function linesOf(columns: readonly Pick<Column<never>, 'place'>[]): 'one' | 'two' | undefined {
  if (columns.every(({ place }) => place === undefined)) return undefined
  return columns.some(({ place }) => place === 'below') ? 'two' : 'one'
}

/** Fills the space of rows outside the rendered range. */
function Gap({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null
  return (
    <tr className={styles.room}>
      <td colSpan={span} className={styles.gap} style={{ height }} />
    </tr>
  )
}
