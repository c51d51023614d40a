/**
 * The plaintext of a lock. It starts with the blocks. Each block contains its constants, and the offset and
 * number of its words. The words of all blocks follow. Numbers are three bytes long, big-endian.
 */

import { CHECK_BYTES } from '../lock-keystream.ts'
import type { Random } from '../random.ts'
import type { Bytes } from '../syntax/ast.ts'
import type { LeasedWords } from './leased-words.ts'
import type { Lifted } from './lift-constants.ts'

/**
 * Sizes in bytes of a number, and of the header of a block. The header contains the offset of the words, the
 * number of words, and the number of constants.
 */
export const NUMBER_BYTES = 3
export const BLOCK_HEAD = 3 * NUMBER_BYTES

/** The number that is added to each word, so that no word is negative. */
export const WORD_OFFSET = 2 ** 23

/**
 * The offsets of blocks are visible in the code. Blocks are padded to a multiple of this size, so that the
 * offsets don't reveal exact lengths.
 */
const GRAIN = 32

type Block = { readonly place: number; readonly leased: LeasedWords }

export class LockText {
  readonly #random: Random
  readonly #bytes: number[] = []
  readonly #blocks: Block[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /**
   * Appends a block.
   * @returns the block's 0-based offset in the plaintext.
   */
  add(values: readonly Lifted[], leased: LeasedWords): number {
    const place = this.#bytes.length
    this.#blocks.push({ place, leased })
    this.#bytes.push(...spelled(0), ...spelled(0), ...spelled(values.length))
    for (const value of values) this.#addValue(value)
    while (this.#bytes.length % GRAIN !== 0) this.#bytes.push(this.#random.int(0, 255))
    return place
  }

  /**
   * Encodes a value as a type byte (1 for a number), its length, and its characters. Numbers are written in
   * decimal, for `tonumber`.
   */
  #addValue(value: Lifted): void {
    const text: Bytes = typeof value === 'number' ? String(value) : value
    this.#bytes.push(typeof value === 'number' ? 1 : 0, ...spelled(text.length))
    for (let i = 0; i < text.length; i++) this.#bytes.push(text.charCodeAt(i))
  }

  /** Size of the blocks in bytes, without their words. */
  get size(): number {
    return this.#bytes.length
  }

  /**
   * The plaintext with the words collected so far, followed by the zeros that make a wrong key stream
   * detectable.
   */
  get bytes(): Uint8Array {
    const all = this.#bytes.slice()
    for (const { place, leased } of this.#blocks) {
      const head = [...spelled(all.length), ...spelled(leased.words.length)]
      head.forEach((byte, i) => {
        all[place + i] = byte
      })
      for (const word of leased.words) all.push(...spelled(word + WORD_OFFSET))
    }
    return Uint8Array.from([...all, ...new Array<number>(CHECK_BYTES).fill(0)])
  }
}

function spelled(value: number): [number, number, number] {
  return [value >> 16, (value >> 8) & 255, value & 255]
}
