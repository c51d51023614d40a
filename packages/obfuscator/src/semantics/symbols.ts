// The symbols of one chunk: what the author called each, and where new ones come from. Which use means which
// symbol is the resolver's; what a symbol is called in the output is the renamer's.

import type { SymbolId } from '../syntax/ast.ts'

/** Hands out symbols that no tree of this run has yet. */
export type Symbols = {
  /** A new symbol. */
  fresh(): SymbolId
}

/** Begins after the symbols that the parser has given. */
export function createSymbols(firstFree: number): Symbols {
  let next = firstFree
  return {
    fresh() {
      next += 1
      return next - 1
    },
  }
}
