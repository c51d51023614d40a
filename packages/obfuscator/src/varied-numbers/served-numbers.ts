/**
 * The numbers of a build that differ between keys: their positions in the output, and how to write each
 * number. A server chooses a level for each number; the output itself contains the middle level.
 */

import { spellWord } from '../vm/word-spelling.ts'
import type { Variation } from './variation.ts'

/** A word of the stream, with its value at the lowest level. `at` is the offset of its first digit. */
type ServedWord = { readonly at: number; readonly word: number }

export type ServedNumber = Variation & {
  /** The words that depend on the number. Each grows by one per level. */
  readonly words: readonly ServedWord[]
  /** A word that is never read and keeps the checksum constant; null in an output without checksums. */
  readonly balance: (ServedWord & { readonly ratio: number }) | null
}

export type ServedNumbers = {
  /** The encoding of words: the symbols of their digits, the number of digits, and the lowest word. */
  readonly alphabet: string
  readonly digits: number
  readonly least: number
  /** The modulus of the checksum. */
  readonly modulus: number
  readonly list: readonly ServedNumber[]
}

export const NO_SERVED_NUMBERS: ServedNumbers = { alphabet: '', digits: 0, least: 0, modulus: 1, list: [] }

/**
 * The edits that write one number at a level from 0 to `count - 1`. Their offsets don't depend on the level.
 */
export function writeNumber(
  { alphabet, digits, least, modulus }: ServedNumbers,
  { words, balance }: ServedNumber,
  level: number,
): readonly { readonly at: number; readonly text: string }[] {
  const spelled = (word: number) => spellWord(word - least, digits, alphabet)
  const edits = words.map(({ at, word }) => ({ at, text: spelled(word + level) }))
  if (!balance) return edits
  const rest = (balance.word - level * balance.ratio) % modulus
  return [...edits, { at: balance.at, text: spelled(rest < 0 ? rest + modulus : rest) }]
}

/** Shifts all offsets by `by` bytes, like `moveSlots`. */
export function moveNumbers(numbers: ServedNumbers, by: number): ServedNumbers {
  const list = numbers.list.map((each) => ({
    ...each,
    words: each.words.map((word) => ({ ...word, at: word.at + by })),
    balance: each.balance && { ...each.balance, at: each.balance.at + by },
  }))
  return { ...numbers, list }
}
