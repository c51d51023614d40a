/** Moves a chart's cursor with the pointer or the keyboard, and selects a range by dragging. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { bucketAt, type Scale, xOf } from './scale.ts'
import { positionOf, type Range, rangeOf, type Step } from './series.ts'

type Given = {
  readonly times: readonly number[]
  readonly step: Step
  readonly brush?: Range | undefined
  readonly onRange: (range: Range) => void
  readonly onBucket?: (range: Range) => void
}
type Drag = {
  readonly from: number
  readonly to: number
  /** Whether a tap opens the bucket: on a touch screen, the first tap only shows its values. */
  readonly isOpening: boolean
}

export type Cursor = { readonly at: number | undefined; readonly drag: Drag | undefined }

const GRAB_PX = 6
const MOVES: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
}

export function useCursor(given: Given, scale: Scale) {
  const [at, setAt] = useState<number>()
  const [drag, setDrag] = useState<Drag>()
  const last = scale.count - 1
  const indexOf = (event: PointerEvent) =>
    bucketAt(scale, event.clientX - event.currentTarget.getBoundingClientRect().left)
  const finish = () => {
    if (drag === undefined || drag.from === drag.to) return
    given.onRange(rangeOf(given.times, given.step, drag.from, drag.to))
  }
  const open = (index: number) => given.onBucket?.(rangeOf(given.times, given.step, index))
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || last < 0) return
      const index = indexOf(event)
      event.currentTarget.setPointerCapture(event.pointerId)
      const isOpening = event.pointerType !== 'touch' || at === index
      setDrag({ from: anchorOf(given, scale, event) ?? index, to: index, isOpening })
      setAt(index)
    },
    onPointerMove: (event: PointerEvent) => {
      if (last < 0) return
      setAt(indexOf(event))
      if (drag) setDrag({ ...drag, to: indexOf(event) })
    },
    onPointerUp: () => {
      finish()
      if (drag?.isOpening && drag.from === drag.to) open(drag.to)
      setDrag(undefined)
    },
    onPointerCancel: () => setDrag(undefined),
    onPointerLeave: () => setAt(undefined),
    onBlur: () => setAt(undefined),
    onKeyDown: (event: KeyboardEvent) => {
      const move = MOVES[event.key]
      if (move && last >= 0) {
        event.preventDefault()
        setAt(Math.max(0, Math.min(last, at === undefined ? last : move(at, last))))
      }
      if (event.key === 'Enter' && at !== undefined) open(at)
    },
  }
  return { at, drag, handlers }
}

/** Dragging one edge of the chosen range leaves the other edge in place. */
function anchorOf({ times, step, brush }: Given, scale: Scale, event: PointerEvent): number | undefined {
  if (brush === undefined) return undefined
  const x = event.clientX - event.currentTarget.getBoundingClientRect().left
  const [from, to] = [positionOf(times, step, brush.from), positionOf(times, step, brush.to)]
  const isNear = (edge: number) => Math.abs(xOf(scale, edge) - x) <= GRAB_PX
  if (isNear(from)) return Math.min(scale.count - 1, Math.ceil(to) - 1)
  return isNear(to) ? Math.max(0, Math.floor(from)) : undefined
}
