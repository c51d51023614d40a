/**
 * Reads the watermarks of several versions from a leaked copy. This takes seconds for some copies, so it
 * runs in the worker pool.
 */
import { readConstants, readOrder, readText } from '@scriptward/obfuscator'
import { unpack } from '../builds/lz4.ts'
import { readNumbers, readOrders, readSlots } from '../builds/stored-slots.ts'
import { MIN_SLOTS_READ } from './attribute-leak.ts'
import { type Reading, readMarks, withOrder } from './decode-watermark.ts'
import { type NumberReading, readEach } from './number-evidence.ts'

/**
 * A version as stored: its compressed payload, the payload's uncompressed size in bytes, and its slots as
 * JSON.
 */
export type SearchedVersion = {
  readonly version: number
  readonly payload: Uint8Array
  readonly size: number
  readonly slots: string
}

export type VersionReading = {
  readonly version: number
  /** The value read for each slot. */
  readonly reading: Reading
  /** Number of slots that were read solely from the order of statements and comparisons. */
  readonly lifted: number
  /** The numbers that differ between keys, as found in the copy. */
  readonly numbers: readonly NumberReading[]
}

export function searchCopy({
  text,
  versions,
}: {
  readonly text: string
  readonly versions: readonly SearchedVersion[]
}): VersionReading[] {
  const tokens = readText(Buffer.from(text).toString('latin1'))
  const values = readConstants(text)
  return versions.map(({ version, payload, size, slots }) => {
    const stream = readMarks(text, unpack(payload, size), readSlots(slots))
    const reading = withOrder(stream, readOrder(tokens, readOrders(slots)))
    const lifted = reading.filter((bit, i) => bit !== stream[i]).length
    // If the copy was not lifted, its numbers are inside the instruction stream, and other numbers in the
    // text are unrelated.
    const isLifted = stream.filter((bit) => bit !== -1).length < MIN_SLOTS_READ
    return { version, reading, lifted, numbers: readEach(isLifted ? values : NOTHING, readNumbers(slots)) }
  })
}

const NOTHING = new Float64Array()
