/**
 * Watermark slots: positions in the output that can be written in two ways with the same meaning. Passes
 * find them, and the server that delivers a copy chooses how each slot is written. A pass that checks the
 * stream at run time must accept both variants of every slot.
 */

import type { OrderMark } from './order-watermark/order-marks.ts'

/** Replaces a piece of the output with another of the same length. `at` is a byte offset in the output. */
export type Edit = { readonly at: number; readonly text: string }

/** The unchanged output encodes 0. With all of these edits it encodes 1 and behaves the same. */
export type Slot = readonly Edit[]

/** The slots of an instruction stream. */
export type StreamSlots = {
  /** The encoded stream, which occurs in the output exactly once. */
  readonly stream: string
  /** Slots with offsets relative to the start of the stream. */
  readonly slots: readonly Slot[]
  /** How to read the first slots from a lifted copy. */
  readonly marks: readonly OrderMark[]
}

/** With fewer slots, a copy that is half destroyed or mixed from several copies cannot be traced. */
export const FULL_WATERMARK_SLOTS = 256

/** Converts the slots to offsets in the output. */
export function locateSlots(code: string, found: StreamSlots | null): readonly Slot[] {
  if (found === null || found.slots.length === 0) return []
  const { stream, slots } = found
  const start = code.indexOf(stream)
  if (start < 0) throw new Error('the instruction stream is not in the output as it was written')
  return moveSlots(slots, start)
}

/** Shifts the slots by `by` bytes, for a string that is part of the output or contains it. */
export function moveSlots(slots: readonly Slot[], by: number): readonly Slot[] {
  return slots.map((slot) => slot.map(({ at, text }) => ({ at: at + by, text })))
}
