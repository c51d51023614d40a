/**
 * Reads raw LZ4 blocks: which bytes of a text stand in its block as they are, and the text itself. Packing is done where
 * scripts are built.
 */

/** One literal run and the match behind it. */
export type Sequence = {
  /** The part of the text that stands in the block, `shift` bytes further on. */
  readonly from: number
  readonly to: number
  readonly shift: number
  /** How far before `to` the match begins, and how long it is; the last sequence has none. */
  readonly distance: number
  readonly length: number
}

const SHORTEST_MATCH = 4

export function* sequences(block: Uint8Array): Generator<Sequence> {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  let place = 0
  let from = 0
  const lengthOf = (nibble: number): number => {
    let total = nibble
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) more = bytes.readUInt8(place++)
    return total
  }
  while (place < bytes.length) {
    const token = bytes.readUInt8(place++)
    const to = from + lengthOf(token >> 4)
    const run = { from, to, shift: place - from }
    place += to - from
    if (place >= bytes.length) {
      yield { ...run, distance: 0, length: 0 }
      return
    }
    const distance = bytes.readUInt16LE(place)
    place += 2
    const length = lengthOf(token & 15) + SHORTEST_MATCH
    yield { ...run, distance, length }
    from = to + length
  }
}

/** The text of a block of ASCII; `size` is its length. */
export function textOf(block: Uint8Array, size: number): string {
  const text = Buffer.alloc(size)
  for (const { from, to, shift, distance, length } of sequences(block)) {
    text.set(block.subarray(from + shift, to + shift), from)
    // Byte by byte, since a match may go on into what it copies.
    for (let at = to; at < to + length; at++) text[at] = text[at - distance] ?? 0
  }
  return text.toString('latin1')
}
