/**
 * Packs a string into one raw LZ4 block in which certain parts are literals: no match contains or refers to
 * them. These parts can therefore be changed in the packed block itself, and watermarking an execution costs
 * only a copy of the block.
 */

/** A part of the string, given by its start and length. */
export type Fence = { readonly at: number; readonly length: number }

const SHORTEST = 4
/**
 * The LZ4 format requires that the last bytes be literals, and that the last match start well before them.
 */
const LAST_LITERALS = 5
const LAST_MATCH = 12
const FARTHEST = 65_535
const HASH_BITS = 16
/** Number of earlier positions that are compared for each match. */
const CANDIDATES = 16
/** The search stops at a match of this length. */
const LONG_ENOUGH = 128

type Match = { readonly from: number; readonly length: number }

/** @param text ASCII */
export function packFenced(text: string, fences: readonly Fence[]): Uint8Array {
  return new Packing(Buffer.from(text, 'latin1'), fences).run()
}

class Packing {
  readonly #bytes: Buffer
  readonly #isFenced: Uint8Array
  readonly #heads = new Int32Array(1 << HASH_BITS).fill(-1)
  /** Maps each of the last 65,536 positions to the previous one with the same hash. */
  readonly #before = new Int32Array(FARTHEST + 1).fill(-1)
  readonly #out: Buffer
  #size = 0

  constructor(bytes: Buffer, fences: readonly Fence[]) {
    this.#bytes = bytes
    this.#isFenced = new Uint8Array(bytes.length)
    for (const { at, length } of fences) this.#isFenced.fill(1, at, at + length)
    this.#out = Buffer.alloc(bytes.length + Math.ceil(bytes.length / 255) + 16)
  }

  run(): Uint8Array {
    const last = this.#bytes.length - LAST_MATCH
    let anchor = 0
    let at = 0
    while (at <= last) {
      const match = this.#find(at)
      if (match === undefined) {
        this.#note(at)
        at += 1
        continue
      }
      this.#write(anchor, at, match)
      for (const end = at + match.length; at < end; at++) this.#note(at)
      anchor = at
    }
    this.#write(anchor, this.#bytes.length)
    return this.#out.subarray(0, this.#size)
  }

  #find(at: number): Match | undefined {
    if (this.#length(at, at) < SHORTEST) return undefined
    let best: Match | undefined
    let from = this.#heads[this.#hash(at)] ?? -1
    for (let tried = 0; from >= 0 && at - from <= FARTHEST && tried < CANDIDATES; tried++) {
      const length = this.#length(from, at)
      if (length >= SHORTEST && length > (best?.length ?? 0)) best = { from, length }
      if (length >= LONG_ENOUGH) break
      const earlier = this.#before[from & FARTHEST] ?? -1
      from = earlier < from ? earlier : -1
    }
    return best
  }

  /** Number of equal bytes that follow two positions, up to the first fence. */
  #length(from: number, at: number): number {
    const bytes = this.#bytes
    const fenced = this.#isFenced
    const end = bytes.length - LAST_LITERALS
    // When a position is compared with itself, only fences in its first few bytes matter.
    const most = from === at ? Math.min(end, at + SHORTEST) : end
    let to = at
    while (
      to < most &&
      fenced[to] === 0 &&
      fenced[from + to - at] === 0 &&
      bytes[from + to - at] === bytes[to]
    )
      to++
    return to - at
  }

  #hash(at: number): number {
    return Math.imul(this.#bytes.readUInt32LE(at), 2_654_435_761) >>> (32 - HASH_BITS)
  }

  #note(at: number): void {
    if (at + SHORTEST > this.#bytes.length) return
    const hash = this.#hash(at)
    this.#before[at & FARTHEST] = this.#heads[hash] ?? -1
    this.#heads[hash] = at
  }

  /** Writes the literals from `anchor` to `at`, followed by a match unless they are the last. */
  #write(anchor: number, at: number, match?: Match): void {
    const literals = at - anchor
    const rest = match ? match.length - SHORTEST : 0
    this.#byte((Math.min(literals, 15) << 4) | Math.min(rest, 15))
    this.#more(literals)
    this.#size += this.#bytes.copy(this.#out, this.#size, anchor, at)
    if (!match) return
    const distance = at - match.from
    this.#byte(distance & 255)
    this.#byte(distance >> 8)
    this.#more(rest)
  }

  #more(length: number): void {
    if (length < 15) return
    let rest = length - 15
    for (; rest >= 255; rest -= 255) this.#byte(255)
    this.#byte(rest)
  }

  #byte(value: number): void {
    this.#out[this.#size] = value
    this.#size += 1
  }
}
