/**
 * Reads the watermarks of several versions from a leaked copy. It takes seconds for some copies, so it runs
 * in the worker pool.
 */
import { readOrder, readText } from '@scriptward/obfuscator'
import { unpack } from '../builds/lz4.ts'
import { readOrders, readSlots } from '../builds/stored-slots.ts'
import { type Reading, readMarks, withOrder } from './decode-watermark.ts'

/** A version as stored: its compressed payload, its uncompressed size in bytes, and its slots as JSON. */
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
  /** Slots that were read only from the order of statements and comparisons. */
  readonly lifted: number
}

export function searchCopy({
  text,
  versions,
}: {
  readonly text: string
  readonly versions: readonly SearchedVersion[]
}): VersionReading[] {
  const tokens = readText(Buffer.from(text).toString('latin1'))
  return versions.map(({ version, payload, size, slots }) => {
    const numbers = readMarks(text, unpack(payload, size), readSlots(slots))
    const reading = withOrder(numbers, readOrder(tokens, readOrders(slots)))
    return { version, reading, lifted: reading.filter((bit, i) => bit !== numbers[i]).length }
  })
}
