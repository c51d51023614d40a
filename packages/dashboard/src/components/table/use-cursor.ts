/**
 * Keyboard shortcuts of a table: j and k move between rows, Enter opens, x selects (with Shift, a range), e edits, and
 * Escape leaves the table.
 */
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { DrawnRows } from './drawn-rows.ts'
import type { TableProps } from './types.ts'
import { withOrWithout } from './with-or-without.ts'

export function useCursor<Row>(
  frame: RefObject<HTMLDivElement | null>,
  given: TableProps<Row>,
  { show, firstInView }: Pick<DrawnRows, 'show' | 'firstInView'>,
) {
  const [at, setAt] = useState<number>()
  /** The last selected row, where a range begins. */
  const anchor = useRef<number>(undefined)
  const { rows, keyOf, selection } = given
  const isUsed = given.onOpen !== undefined || selection !== undefined
  const tick = (index: number, isTicked: boolean, isRange: boolean) => {
    if (!selection) return
    const from = isRange ? (anchor.current ?? index) : index
    anchor.current = index
    const keys = rows.slice(Math.min(from, index), Math.max(from, index) + 1).map(keyOf)
    selection.onChange(withOrWithout(selection.chosen, keys, isTicked))
  }
  const move = (by: 1 | -1) => {
    const next = at === undefined ? firstInView() : Math.min(Math.max(at + by, 0), rows.length - 1)
    show(next)
    setAt(next)
  }
  const toggle = (isRange: boolean) => {
    const row = at === undefined ? undefined : rows[at]
    if (at !== undefined && row !== undefined && selection)
      tick(at, isRange || !selection.chosen.has(keyOf(row)), isRange)
  }
  const leave = () => {
    if (at === undefined) selection?.onChange(new Set())
    setAt(undefined)
  }
  const row = at === undefined ? undefined : rows[at]
  const actions: Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>> = {
    j: () => move(1),
    k: () => move(-1),
    x: ({ shiftKey }) => toggle(shiftKey),
    ...(row !== undefined && {
      e: given.onEdit && (() => given.onEdit?.(row)),
      enter: ({ target }) => !isControl(target) && given.onOpen?.(row),
    }),
    escape: leave,
  }
  useTableKeys(frame, isUsed && rows.length > 0 ? actions : {})
  useLayoutEffect(() => {
    const element = at === undefined ? null : frame.current?.querySelector(`tr[data-index="${at}"]`)
    const control = element?.querySelector<HTMLElement>('[data-open]') ?? (element as HTMLElement | null)
    control?.focus({ preventScroll: true })
  }, [at, frame])
  return { at: isUsed ? at : undefined, tick }
}

function useTableKeys(
  frame: RefObject<HTMLDivElement | null>,
  actions: Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>,
): void {
  const latest = useRef(actions)
  latest.current = actions
  // An effect after the first paint would miss a key that is pressed as soon as the rows are visible.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const act = latest.current[event.key.toLowerCase()]
      if (act && isMeant(frame.current, event.target)) act(event)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [frame])
}

const OVERLAYS = 'dialog[open], [role="dialog"], [role="menu"], [role="listbox"]'

/** Keys go to fields and overlays first, then to the focused table, or else to the first table. */
function isMeant(frame: HTMLElement | null, target: EventTarget | null): boolean {
  if (frame === null || !(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.matches('input:not([type="checkbox"]), select, textarea'))
    return false
  if (document.querySelector(OVERLAYS) !== null) return false
  const frames = [...document.querySelectorAll<HTMLElement>('[data-keys]')]
  return (frames.find((each) => each.contains(target)) ?? frames[0]) === frame
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('a, button, input, summary')
}
