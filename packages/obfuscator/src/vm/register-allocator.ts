/**
 * Allocates the registers of one function: native locals while the host has room for them, then slots of a
 * table. Allocation is stack-based, so values with disjoint lifetimes share a register.
 */

import type { Symbols } from '../semantics/symbols.ts'
import type { Index, LocalName, Offset, SymbolId } from '../syntax/ast.ts'
import { nodesAt, use } from '../syntax/nodes.ts'

/** Where a value is stored: in a local, or in a slot of a table that a local refers to. */
export type Location = {
  readonly symbol: SymbolId
  readonly index: number | null
  /**
   * Whether the register contains a cell: a table with the value as its only item, so that functions can
   * share the variable.
   */
  readonly isCell: boolean
}

/** The node of the register itself, which contains the cell, if there is one, rather than the value. */
export function registerNode(place: Location, at: Offset): LocalName | Index {
  if (place.index === null) return use(place.symbol, at)
  return nodesAt(at).index(use(place.symbol, at), nodesAt(at).number(place.index))
}

/** The node that reads the value at a location or, as a target, writes it. */
export function valueNode(place: Location, at: Offset): LocalName | Index {
  const register = registerNode(place, at)
  return place.isCell ? nodesAt(at).index(register, nodesAt(at).number(1)) : register
}

export class RegisterAllocator {
  readonly #symbols: Symbols
  readonly #stack: Location[] = []
  readonly #natives: SymbolId[] = []
  readonly #limit: number
  #top = 0
  #spilled = 0
  #table: SymbolId | null = null

  /** @param limit the maximum number of native locals to declare. */
  constructor(symbols: Symbols, limit: number) {
    this.#symbols = symbols
    this.#limit = limit
  }

  /** Locals to declare at the start of the function. */
  get natives(): readonly SymbolId[] {
    return this.#natives
  }

  /** The local for the table of additional registers; null if none is needed. */
  get table(): SymbolId | null {
    return this.#table
  }

  /** Whether the remaining native locals should be reserved for values that need one. */
  get isCrowded(): boolean {
    return this.#natives.length > this.#limit / 2
  }

  get mark(): number {
    return this.#top
  }

  /** Frees all registers allocated since the mark. */
  release(mark: number): void {
    this.#top = mark
  }

  /** Free registers above a mark that may still contain old values. */
  stale(mark: number): readonly Location[] {
    return this.#stack.slice(mark)
  }

  /** Allocates the next free register, which may still contain an old value. */
  allocate(): Location {
    const place = this.#stack[this.#top] ?? this.#create()
    this.#stack[this.#top] = place
    this.#top += 1
    return place
  }

  /** Allocates a register that is never reused. */
  allocateDedicated(symbol: SymbolId): Location {
    if (this.#natives.length >= this.#limit) return this.#spill()
    this.#natives.push(symbol)
    return { symbol, index: null, isCell: false }
  }

  #create(): Location {
    return this.#natives.length < this.#limit ? this.allocateDedicated(this.#symbols.fresh()) : this.#spill()
  }

  #spill(): Location {
    this.#table ??= this.#symbols.fresh()
    this.#spilled += 1
    return { symbol: this.#table, index: this.#spilled, isCell: false }
  }
}
