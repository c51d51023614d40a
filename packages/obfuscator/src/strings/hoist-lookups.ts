/**
 * Moves lookups in the string table out of loops. Before the outermost loop of a function, each string is
 * read once and stored in a local, which every host reads as fast as a constant.
 */

import type { Capacity } from '../semantics/capacity.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Chunk, Expression, FunctionExpression, Offset, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { Visitors } from '../syntax/walk.ts'

/**
 * Maximum number of strings to hoist per loop. Further strings are read from the table, so that the loop
 * starts quickly.
 */
const MAX_HOISTED = 12

type LoopNode = Extract<Statement, { kind: 'While' | 'Repeat' | 'NumericFor' | 'GenericFor' }>

/**
 * A function in the traversal: how many of its loops are open, and which strings its outermost loop needs.
 */
type Frame = { readonly canHold: boolean; loops: number; readonly needed: Map<number, SymbolId> }

/** Builds the expression that looks up a string in the table. */
type Read = (number: number, at: Offset) => Expression

/**
 * Tracks the position of a traversal. The traversal calls `read` for every string, and must include these
 * visitors.
 */
export class LookupHoister {
  readonly #read: Read
  readonly #symbols: Symbols
  readonly #capacity: Capacity
  readonly #frames: Frame[] = []

  /** @param capacity the capacity of `chunk`. The traversal must start at `chunk`. */
  constructor(chunk: Chunk, read: Read, symbols: Symbols, capacity: Capacity) {
    this.#read = read
    this.#symbols = symbols
    this.#capacity = capacity
    this.#push(chunk)
  }

  get visitors(): Visitors {
    const loop = {
      enter: (_: LoopNode): undefined => {
        this.#top.loops += 1
      },
      leave: (node: LoopNode): Statement | undefined => {
        this.#top.loops -= 1
        return this.#top.loops === 0 ? preceded(node, this.#read, this.#top.needed) : undefined
      },
    }
    return {
      FunctionExpression: { enter: (node) => this.#push(node), leave: () => void this.#frames.pop() },
      While: loop,
      Repeat: loop,
      NumericFor: loop,
      GenericFor: loop,
    }
  }

  /** Builds the expression that reads a string at the current position of the traversal. */
  read(number: number, at: Offset): Expression {
    const symbol = this.#hoistedLocal(number)
    return symbol === null ? this.#read(number, at) : nodesAt(at).use(symbol)
  }

  get #top(): Frame {
    return this.#frames[this.#frames.length - 1] as Frame
  }

  #push(node: FunctionExpression | Chunk): undefined {
    this.#frames.push({ canHold: this.#capacity.hasLocals(node, MAX_HOISTED), loops: 0, needed: new Map() })
  }

  #hoistedLocal(number: number): SymbolId | null {
    const { canHold, loops, needed } = this.#top
    if (loops === 0 || !canHold || (needed.size >= MAX_HOISTED && !needed.has(number))) return null
    const symbol = needed.get(number) ?? this.#symbols.fresh()
    needed.set(number, symbol)
    return symbol
  }
}

function preceded(node: LoopNode, read: Read, needed: Map<number, SymbolId>): Statement | undefined {
  if (needed.size === 0) return undefined
  const make = nodesAt(node.at)
  const values = [...needed.keys()].map((number) => read(number, node.at))
  const locals = make.local([...needed.values()], values)
  needed.clear()
  return make.do([locals, node])
}
