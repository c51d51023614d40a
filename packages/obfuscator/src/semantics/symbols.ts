/**
 * Creates the symbols of one chunk. The resolver binds names to symbols, and the renamer assigns the symbols
 * their names in the output.
 */

import type { SymbolId } from '../syntax/ast.ts'

/** Creates symbols that are unique within the run. */
export type Symbols = {
  /** Returns an unused symbol. */
  fresh(): SymbolId
  /** Reserves `count` consecutive symbols and returns the first of them. */
  reserve(count: number): SymbolId
}

/** @param firstFree the first symbol that the parser did not use. */
export function createSymbols(firstFree: number): Symbols {
  let next = firstFree
  return {
    fresh() {
      next += 1
      return next - 1
    },
    reserve(count) {
      next += count
      return next - count
    },
  }
}
