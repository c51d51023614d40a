// Bytes as symbols of printable ASCII, for ciphertexts that stand in the output: 91 bytes are one symbol, the others two.

import type { Bytes } from '../syntax/ast.ts'

/** Symbols that there are. */
export const ALPHABET_SIZE = 93

/** So many bytes are one symbol; the two symbols above them each begin 93 more bytes of two symbols. */
export const ONE_SYMBOL_BYTES = ALPHABET_SIZE - 2
export const FIRST_BYTE = 32

/** Bytes → symbols: one below 91, or a prefix and one. */
export function encodeBytes(text: Bytes): number[] {
  const values: number[] = []
  for (let i = 0; i < text.length; i++) {
    const shifted = (text.charCodeAt(i) - FIRST_BYTE + 256) % 256
    const rest = shifted - ONE_SYMBOL_BYTES
    if (rest < 0) values.push(shifted)
    else values.push(ONE_SYMBOL_BYTES + Math.floor(rest / ALPHABET_SIZE), rest % ALPHABET_SIZE)
  }
  return values
}

/** Codes 32 to 126 without the quote and the backslash. */
export function printableCode(index: number): number {
  const code = index + 32 + (index >= 2 ? 1 : 0)
  return code >= 92 ? code + 1 : code
}
