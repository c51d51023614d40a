/**
 * Watermark slots: places in the output that may be written in two ways with the same meaning. Passes find
 * them. The server that delivers a copy decides how each slot is written. A pass that checks the stream at
 * run time must accept both ways of every slot.
 */

import type { OrderMark } from './order-watermark/order-marks.ts'

/**
 * Replaces text of the output by another of the same length. `at` counts bytes from the start of the output.
 */
export type Edit = { readonly at: number; readonly text: string }

/** The unchanged output encodes 0; with all of these edits it encodes 1 and does the same. */
export type Slot = readonly Edit[]

/** The slots of an instruction stream. */
export type StreamSlots = {
  /** The text of the stream, which stands in the output exactly once. */
  readonly stream: string
  /** Slots inside that text, with offsets from its start. */
  readonly slots: readonly Slot[]
  /** How a lifted copy shows the first slots. */
  readonly marks: readonly OrderMark[]
}

/** With fewer slots, a copy that is half destroyed or mixed from several copies cannot be traced. */
export const FULL_WATERMARK_SLOTS = 256

/** The slots as offsets in the output. */
export function locateSlots(code: string, found: StreamSlots | null): readonly Slot[] {
  if (found === null || found.slots.length === 0) return []
  const { stream, slots } = found
  const start = code.indexOf(stream)
  if (start < 0) throw new Error('the instruction stream is not in the output as it was written')
  return moveSlots(slots, start)
}

/** The same slots, `by` bytes further: for a text that is part of the output or contains it. */
export function moveSlots(slots: readonly Slot[], by: number): readonly Slot[] {
  return slots.map((slot) => slot.map(({ at, text }) => ({ at: at + by, text })))
}
