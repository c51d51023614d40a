import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import type { DrawnRows } from './drawn-rows.ts'
import type { TableProps } from './types.ts'

const ROW_PX = { comfortable: 48, compact: 36, narrow: 56 } as const
const NARROW = '(max-width: 48rem)'
/** Keeps rows reached by keyboard clear of the top bar, the header and the bar for selected rows. */
const CLEAR_PX = { start: 96, end: 80 } as const

type Props = {
  readonly frame: RefObject<HTMLDivElement | null>
  readonly count: number
  readonly more: TableProps<unknown>['more']
  readonly isCompact: boolean
  readonly onDrawn: (drawn: DrawnRows) => void
}

/**
 * Limits the drawn rows to those in view, and loads the next page at the end of the list. This component
 * renders nothing itself.
 */
export function VirtualRows({ frame, count, more, isCompact, onDrawn }: Props) {
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => setMargin(frame.current?.offsetTop ?? 0), [frame])
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () =>
      matchMedia(NARROW).matches ? ROW_PX.narrow : ROW_PX[isCompact ? 'compact' : 'comfortable'],
    overscan: 12,
    scrollMargin: margin,
    scrollPaddingStart: CLEAR_PX.start,
    scrollPaddingEnd: CLEAR_PX.end,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: row heights depend on the density.
  useLayoutEffect(() => virtual.measure(), [isCompact])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)
  const isAtEnd = last !== undefined && last.index >= count - 1
  useLayoutEffect(() => {
    if (isAtEnd && more && !more.isLoading) more.load()
  }, [isAtEnd, more])
  const show = useCallback((index: number) => virtual.scrollToIndex(index, { align: 'auto' }), [virtual])
  const firstInView = useCallback(
    () => virtual.getVirtualItems().find(({ start }) => start >= scrollY + CLEAR_PX.start)?.index ?? 0,
    [virtual],
  )
  const before = (items[0]?.start ?? margin) - margin
  const after = virtual.getTotalSize() - ((last?.end ?? margin) - margin)
  const measure = virtual.measureElement
  useLayoutEffect(() => {
    // There are no items until the window has been measured. Rows that are already drawn must stay, because a
    // menu may be open in one of them.
    if (items.length === 0 && count > 0) return
    onDrawn({ indexes: items.map(({ index }) => index), before, after, measure, show, firstInView })
  }, [items, count, before, after, measure, show, firstInView, onDrawn])
  return null
}
