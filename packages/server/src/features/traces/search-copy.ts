/** Reads the watermarks of several versions in a text that leaked. It takes seconds for some texts, so it runs in the pool. */
import { readOrder, readText } from '@scriptward/obfuscator'
import { unpack } from '../builds/lz4.ts'
import { readOrders, readSlots } from '../builds/stored-slots.ts'
import { type Reading, readMarks, withOrder } from './decode-watermark.ts'

/** A version as it is stored: its packed payload, the size of that text in bytes, and its slots as JSON. */
export type SearchedVersion = {
  readonly version: number
  readonly payload: Uint8Array
  readonly size: number
  readonly slots: string
}

export type VersionReading = {
  readonly version: number
  /** For each slot what was read. */
  readonly reading: Reading
  /** Slots that only the order of statements and comparisons showed. */
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
