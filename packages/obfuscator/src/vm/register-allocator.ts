/**
 * Allocates the registers of one function: native locals while the host has room for them, then slots of a
 * table. Allocation is a stack, so values that do not overlap share a register.
 */

import type { Symbols } from '../semantics/symbols.ts'
import type { Index, LocalName, Offset, SymbolId } from '../syntax/ast.ts'
import { nodesAt, use } from '../syntax/nodes.ts'

/** Where a value is stored: a local, or a slot of a table that a local holds. */
export type Location = {
  readonly symbol: SymbolId
  readonly index: number | null
  /** The register holds a table whose only item is the value, so that functions can share the variable. */
  readonly isCell: boolean
}

/** The register itself, which for a cell is not the value. */
export function registerNode(place: Location, at: Offset): LocalName | Index {
  if (place.index === null) return use(place.symbol, at)
  return nodesAt(at).index(use(place.symbol, at), nodesAt(at).number(place.index))
}

/** The node that reads the value at a location or, as target, writes it. */
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

  /** @param limit native locals that may be declared. */
  constructor(symbols: Symbols, limit: number) {
    this.#symbols = symbols
    this.#limit = limit
  }

  /** Locals to declare at the start of the function. */
  get natives(): readonly SymbolId[] {
    return this.#natives
  }

  /** The local that holds the table of further registers, if one is needed. */
  get table(): SymbolId | null {
    return this.#table
  }

  /** Whether native locals should be kept for values that need one. */
  get isCrowded(): boolean {
    return this.#natives.length > this.#limit / 2
  }

  get mark(): number {
    return this.#top
  }

  /** Frees all registers that were allocated since the mark. */
  release(mark: number): void {
    this.#top = mark
  }

  /** Free registers from a mark on that may still hold old values. */
  stale(mark: number): readonly Location[] {
    return this.#stack.slice(mark)
  }

  /** Allocates the next free register, which still holds its old value. */
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
