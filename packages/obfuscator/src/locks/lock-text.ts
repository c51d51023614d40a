/**
 * The plaintext of a lock: for each block the place and the number of its words, and its constants; behind
 * all blocks the words. Numbers are three bytes, the largest first.
 */

import { CHECK_BYTES } from '../lock-keystream.ts'
import type { Random } from '../random.ts'
import type { Bytes } from '../syntax/ast.ts'
import type { LeasedWords } from './leased-words.ts'
import type { Lifted } from './lift-constants.ts'

/** Bytes of a number, and of the head of a block: where its words are, how many, how many constants. */
export const NUMBER_BYTES = 3
export const BLOCK_HEAD = 3 * NUMBER_BYTES

/** Added to a word, so that it is not negative. */
export const WORD_OFFSET = 2 ** 23

/** The places of blocks are open in the code, so what they tell of lengths is rounded to so many bytes. */
const GRAIN = 32

type Block = { readonly place: number; readonly leased: LeasedWords }

export class LockText {
  readonly #random: Random
  readonly #bytes: number[] = []
  readonly #blocks: Block[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** Appends a block. @returns its place in the text, from 0. */
  add(values: readonly Lifted[], leased: LeasedWords): number {
    const place = this.#bytes.length
    this.#blocks.push({ place, leased })
    this.#bytes.push(...spelled(0), ...spelled(0), ...spelled(values.length))
    for (const value of values) this.#addValue(value)
    while (this.#bytes.length % GRAIN !== 0) this.#bytes.push(this.#random.int(0, 255))
    return place
  }

  /** A byte that says whether it is a number, the length, and the text; of numbers as Lua reads them. */
  #addValue(value: Lifted): void {
    const text: Bytes = typeof value === 'number' ? String(value) : value
    this.#bytes.push(typeof value === 'number' ? 1 : 0, ...spelled(text.length))
    for (let i = 0; i < text.length; i++) this.#bytes.push(text.charCodeAt(i))
  }

  /** The bytes with the words that are known by now, and the zeros by which a wrong pad is recognised. */
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
