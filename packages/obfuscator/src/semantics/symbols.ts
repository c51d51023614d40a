// The symbols of one chunk: what the author called each, and where new ones come from. Which use means which
// symbol is the resolver's; what a symbol is called in the output is the renamer's.

import type { Binding, Bytes, LocalName, Offset, SymbolId } from '../syntax/ast.ts'

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

/** The declaration of a symbol that a pass made. */
export function bind(symbol: SymbolId, at: Offset, name: Bytes = ''): Binding {
  return { kind: 'Binding', at, symbol, name, isConst: false }
}

/** A use of a symbol. */
export function use(symbol: SymbolId, at: Offset): LocalName {
  return { kind: 'LocalName', at, symbol }
}
