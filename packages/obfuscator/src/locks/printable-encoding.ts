/**
 * Encodes bytes as printable ASCII symbols, for ciphertexts in the output. 91 byte values are encoded as one
 * symbol, and the others as two symbols.
 */

import type { Bytes } from '../syntax/ast.ts'

export const ALPHABET_SIZE = 93

/**
 * Number of byte values that are encoded as one symbol. The next two symbols are the prefixes of two-symbol
 * encodings.
 */
export const ONE_SYMBOL_BYTES = ALPHABET_SIZE - 2
export const FIRST_BYTE = 32

/** Encodes each byte either as one symbol with an index below 91, or as a prefix followed by a symbol. */
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

/** Returns the character code of a symbol: 32 to 126, without the double quote and the backslash. */
export function printableCode(index: number): number {
  const code = index + 32 + (index >= 2 ? 1 : 0)
  return code >= 92 ? code + 1 : code
}
