// Slots of a watermark: places in the output that may be written in two ways which mean the same. Passes find them;
// which way each copy is written in, and for whom, is decided by whoever serves it. A pass that checks the stream at run
// time must come to the same result for both ways of every slot.

/**
 * Puts a text in the place of what stands in the output, which is as long. `at` counts bytes from the start of the output.
 */
export type Edit = { readonly at: number; readonly text: string }

/** The output as it is means 0; with all of these edits it means 1, and it does the same. */
export type Slot = readonly Edit[]

/** The slots of an instruction stream. */
export type StreamSlots = {
  /** The text of the stream, which stands in the output once, as it is here. */
  readonly stream: string
  /** Slots inside that text, with places that count from its beginning. */
  readonly slots: readonly Slot[]
}

/** With fewer slots, a copy of which half is destroyed or that several people mixed is not traced. */
export const FULL_WATERMARK_SLOTS = 256

/** The slots as places in the output. */
export function locateSlots(code: string, found: StreamSlots | null): readonly Slot[] {
  if (found === null || found.slots.length === 0) return []
  const { stream, slots } = found
  const start = code.indexOf(stream)
  if (start < 0) throw new Error('the instruction stream is not in the output as it was written')
  return moveSlots(slots, start)
}

/** The same slots in a text that is a part of theirs, or has theirs in it: `by` bytes further. */
export function moveSlots(slots: readonly Slot[], by: number): readonly Slot[] {
  return slots.map((slot) => slot.map(({ at, text }) => ({ at: at + by, text })))
}
