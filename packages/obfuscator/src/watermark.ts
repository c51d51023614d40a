/**
 * Watermark slots: positions in the output that can be written in two ways with the same meaning. Passes find
 * them, and the server that delivers a copy chooses how to write each slot. A pass that checks the stream at
 * run time must accept both variants of every slot.
 */

import type { OrderMark } from './order-watermark/order-marks.ts'
import { MAX_KEYS } from './varied-numbers/certainty.ts'
import { moveNumbers, NO_SERVED_NUMBERS, type ServedNumbers } from './varied-numbers/served-numbers.ts'

/**
 * Replaces a piece of the output with another piece of the same length. `at` is a byte offset in the output.
 */
export type Edit = { readonly at: number; readonly text: string }

/**
 * Without these edits, the output encodes 0 at this slot. With all of them, it encodes 1 and behaves the
 * same.
 */
export type Slot = readonly Edit[]

/** The slots of an instruction stream. */
export type StreamSlots = {
  /** The encoded stream, which occurs in the output exactly once. */
  readonly stream: string
  /** Slots with offsets relative to the start of the stream. */
  readonly slots: readonly Slot[]
  /** Marks for reading the first slots of a lifted copy. */
  readonly marks: readonly OrderMark[]
  /** Numbers that differ between keys, with offsets relative to the start of the stream. */
  readonly numbers: ServedNumbers
}

/** With fewer slots, a copy that is half destroyed or mixed from several copies cannot be traced. */
export const FULL_WATERMARK_SLOTS = 256

/** With fewer readable slots, a trace does not identify a key. */
export const MIN_TRACED_SLOTS = 36

/**
 * The data available for tracing. `keys` is the number of keys among which the `WARD_VARY` numbers can
 * identify one.
 */
type Traces = {
  readonly slots: number
  readonly lifted: number
  readonly numbers: number
  readonly keys: number
}

/** Describes in one sentence which copies of a build can be traced to a key. */
export function describeTracing({ slots, lifted, numbers, keys }: Traces): string {
  if (slots === 0) return 'no copy can be traced: all copies are identical'
  if (slots < MIN_TRACED_SLOTS)
    return `no copy can be traced: the script has ${slots} of the ${MIN_TRACED_SLOTS} slots needed`
  const kind = slots < FULL_WATERMARK_SLOTS ? 'a complete' : 'an unchanged'
  const after = numbers > 0 ? describeNumbers(numbers, keys) : describeSlots(lifted)
  return `identifies the key of ${kind} copy; after decompilation, ${after}`
}

function describeSlots(lifted: number): string {
  if (lifted < MIN_TRACED_SLOTS)
    return `the key can't be identified: ${lifted} of the ${MIN_TRACED_SLOTS} slots needed remain`
  return `the key can be identified if at least ${MIN_TRACED_SLOTS} of the remaining ${lifted} slots can be read`
}

function describeNumbers(numbers: number, keys: number): string {
  const which = numbers === 1 ? 'the WARD_VARY number' : `the ${numbers} WARD_VARY numbers`
  if (keys < 2)
    return `${which} only ${numbers === 1 ? 'gives' : 'give'} candidates: add more WARD_VARY numbers`
  const among = keys === MAX_KEYS ? 'any number of' : `up to ${keys.toLocaleString('en-US')}`
  return `${which} ${numbers === 1 ? 'identifies' : 'identify'} the key among ${among} keys`
}

/** Converts the slots to offsets in the output. */
export function locateSlots(code: string, found: StreamSlots | null): readonly Slot[] {
  if (found === null || found.slots.length === 0) return []
  return moveSlots(found.slots, startOf(code, found))
}

/** Converts the offsets of the numbers that differ between keys to offsets in the output. */
export function locateNumbers(code: string, found: StreamSlots | null): ServedNumbers {
  if (found === null || found.numbers.list.length === 0) return NO_SERVED_NUMBERS
  return moveNumbers(found.numbers, startOf(code, found))
}

function startOf(code: string, { stream }: StreamSlots): number {
  const start = code.indexOf(stream)
  if (start < 0) throw new Error('the instruction stream is not in the output as it was written')
  return start
}

/** Shifts the slots by `by` bytes, for example from offsets in a part of the output to offsets in all of it. */
export function moveSlots(slots: readonly Slot[], by: number): readonly Slot[] {
  return slots.map((slot) => slot.map(({ at, text }) => ({ at: at + by, text })))
}
