/**
 * The table used everywhere. Rows are virtualized, and the next page loads at the end of the list. In narrow windows
 * each row is a card. Sorting, filtering and paging happen on the server.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import styles from './table.module.css'

export type Column<Row> = {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  readonly isNumber?: boolean
  /** Shown as the first line of a card. */
  readonly isMain?: boolean
}

export type Selection = {
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

type Props<Row> = {
  /** Accessible name of the table. */
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly columns: readonly Column<Row>[]
  /** Number of all matches, including those not loaded. */
  readonly total?: number | undefined
  readonly more?: { readonly isLoading: boolean; readonly load: () => void } | undefined
  readonly selection?: Selection
  readonly onOpen?: (row: Row) => void
  readonly actions?: (row: Row) => ReactNode
}

const ROW_PX = 44
const CARD_PX = 150
const NARROW = '(max-width: 48rem)'

export function Table<Row>(given: Props<Row>) {
  const { label, rows, columns, total, more, selection, actions } = given
  const frame = useRef<HTMLDivElement>(null)
  useHead(frame)
  const rest = useDrawnRows(frame, rows.length, more)
  const span = columns.length + (selection ? 1 : 0) + (actions ? 1 : 0)
  return (
    <div ref={frame} className={styles.frame}>
      <table className={styles.table} aria-label={label} aria-rowcount={total ?? -1}>
        <thead>
          <tr>
            {selection && (
              <th className={styles.check}>
                <SelectAll {...given} selection={selection} />
              </th>
            )}
            {columns.map(({ id, title, isNumber }) => (
              <th key={id} className={isNumber ? styles.number : undefined} scope="col">
                {title}
              </th>
            ))}
            {actions && (
              <th>
                <span className="unseen-text">{text.frame.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          <Gap height={rest.before} span={span} />
          {rest.items.map(({ index }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <Line key={given.keyOf(row)} given={given} row={row} index={index} measure={rest.measure} />
            )
          })}
          <Gap height={rest.after} span={span} />
        </tbody>
      </table>
      {more?.isLoading && (
        <p className={styles.more} role="status">
          {text.frame.loadingMore}
        </p>
      )}
    </div>
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

type LineProps<Row> = {
  readonly given: Props<Row>
  readonly row: Row
  readonly index: number
  readonly measure: (element: Element | null) => void
}

function Line<Row>({ given, row, index, measure }: LineProps<Row>) {
  const { columns, keyOf, selection, onOpen, actions } = given
  const key = keyOf(row)
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      className={selection?.chosen.has(key) ? styles.chosen : undefined}
    >
      {selection && (
        <td className={styles.check}>
          <Tick
            label={text.frame.selectRow(key)}
            isTicked={selection.chosen.has(key)}
            onTick={(isTicked) => selection.onChange(withOrWithout(selection.chosen, [key], isTicked))}
          />
        </td>
      )}
      {columns.map(({ id, title, cell, isNumber, isMain }) => (
        <td
          key={id}
          data-title={title}
          className={
            [isNumber && styles.number, isMain && styles.main].filter(Boolean).join(' ') || undefined
          }
        >
          {isMain && onOpen ? (
            <button type="button" className={styles.open} onClick={() => onOpen(row)}>
              {cell(row)}
            </button>
          ) : (
            cell(row)
          )}
        </td>
      ))}
      {actions && <td className={styles.actions}>{actions(row)}</td>}
    </tr>
  )
}

function SelectAll<Row>({ rows, keyOf, selection }: Props<Row> & { selection: Selection }) {
  const keys = rows.map(keyOf)
  const isAll = keys.length > 0 && keys.every((key) => selection.chosen.has(key))
  const choose = (isTicked: boolean) => selection.onChange(withOrWithout(selection.chosen, keys, isTicked))
  return <Tick label={text.frame.selectAll} isTicked={isAll} onTick={choose} />
}

function Tick(given: { label: string; isTicked: boolean; onTick: (isTicked: boolean) => void }) {
  return (
    <input
      type="checkbox"
      aria-label={given.label}
      checked={given.isTicked}
      onChange={(event) => given.onTick(event.target.checked)}
    />
  )
}

/** Takes up the space of rows outside the rendered range. */
function Gap({ height, span }: { height: number; span: number }) {
  if (height <= 0) return null
  return (
    <tr className={styles.room}>
      <td colSpan={span} className={styles.gap} style={{ height }} />
    </tr>
  )
}

/** Detects whether the table is wider than its container, and keeps the header visible if it is. */
function useHead(frame: React.RefObject<HTMLDivElement | null>): void {
  useLayoutEffect(() => {
    const element = frame.current
    const table = element?.querySelector('table')
    if (!element || !table) return
    const place = () => {
      const isWide = table.offsetWidth > element.clientWidth
      element.toggleAttribute('data-wide', isWide)
      const above = Math.max(0, -element.getBoundingClientRect().top)
      element.style.setProperty('--head', isWide ? `${above}px` : '0')
    }
    place()
    const resized = new ResizeObserver(place)
    resized.observe(element)
    resized.observe(table)
    addEventListener('scroll', place, { passive: true })
    return () => {
      resized.disconnect()
      removeEventListener('scroll', place)
    }
  }, [frame])
}

function useDrawnRows(
  frame: React.RefObject<HTMLDivElement | null>,
  count: number,
  more: Props<unknown>['more'],
) {
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => setMargin(frame.current?.offsetTop ?? 0), [frame])
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => (matchMedia(NARROW).matches ? CARD_PX : ROW_PX),
    overscan: 12,
    scrollMargin: margin,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)
  const isAtEnd = last !== undefined && last.index >= count - 1
  useLayoutEffect(() => {
    if (isAtEnd && more && !more.isLoading) more.load()
  }, [isAtEnd, more])
  return {
    items,
    measure: virtual.measureElement,
    before: (items[0]?.start ?? margin) - margin,
    after: virtual.getTotalSize() - ((last?.end ?? margin) - margin),
  }
}

function withOrWithout(chosen: ReadonlySet<string>, keys: readonly string[], isTicked: boolean) {
  const rest = new Set(chosen)
  for (const key of keys) isTicked ? rest.add(key) : rest.delete(key)
  return rest
}
