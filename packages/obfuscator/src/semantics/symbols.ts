/**
 * Creates the symbols of one chunk. The resolver decides which use means which symbol, the renamer what a
 * symbol is called in the output.
 */

import type { SymbolId } from '../syntax/ast.ts'

/** Creates symbols that no tree of this run has yet. */
export type Symbols = {
  /** A new symbol. */
  fresh(): SymbolId
  /** The first of so many new symbols, which follow each other. */
  reserve(count: number): SymbolId
}

/** Starts after the symbols of the parser. */
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
