/**
 * The intermediate representation between tree and instruction stream: basic blocks of instructions over
 * registers. An instruction is a statement with registers as operands, so its meaning is exactly the host's.
 */

import type { LeasedWords } from '../locks/leased-words.ts'
import type { OrderMark } from '../order-watermark/order-marks.ts'
import type { Expression, Statement, SymbolId } from '../syntax/ast.ts'
import type { Policy } from './policy.ts'

/**
 * Statements that stay together, and their cost. Locals declared here live until the end of the
 * superoperator.
 */
export type Instruction = { readonly statements: readonly Statement[]; readonly weight: number }

/** How a basic block ends. */
export type Terminator =
  | { readonly kind: 'jump'; readonly to: BasicBlock }
  | {
      readonly kind: 'branch'
      /** Locals that the condition needs. */
      readonly before: readonly Statement[]
      readonly condition: Expression
      readonly then: BasicBlock
      readonly otherwise: BasicBlock
    }
  /** Leaves the function; the statement is a `return`. */
  | { readonly kind: 'return'; readonly statement: Statement; readonly before: readonly Statement[] }
  /** Leaves the region: at its end, or out of the loop whose body the region is. */
  | { readonly kind: 'leave'; readonly how: RegionExit }

export type RegionExit = 'end' | 'break' | 'continue'

/** What the pointer says of how a region was left. It is 0 when the first word of a stream was the last one read. */
export const EXITS = { end: 0, break: -1, continue: -2 } as const

export type BasicBlock = {
  readonly instructions: Instruction[]
  /** Set once. A block without a terminator cannot be emitted. */
  end: Terminator | null
  /** Loops around it in its region. */
  readonly depth: number
  /** Control comes here only by words of the stream, so that a copy may have it elsewhere. */
  isMovable: boolean
}

/**
 * Two parts that may run in either order: from `first` to `second`, and from there to `after`. Control enters each
 * at its beginning only, and leaves the function or continues with the next.
 */
export type OrderSwap = {
  readonly first: BasicBlock
  readonly second: BasicBlock
  readonly after: BasicBlock
  readonly mark: OrderMark
}

/**
 * A number of a function that can be computed only from its salt and its code, and the local that holds it.
 */
export type StreamKey = { readonly symbol: SymbolId; readonly value: number }

/** A part of a function that one dispatch loop runs. */
export type Region = {
  readonly entry: BasicBlock
  readonly swaps: readonly OrderSwap[]
  /** The region is the whole body of a native loop, where `continue` is its end. */
  readonly isLoopBody: boolean
  /** The local that holds the instruction stream. */
  readonly stream: SymbolId
  /** The words of that stream, when it stands in a lock. */
  readonly lease: LeasedWords | null
  readonly key: StreamKey
  /** Constants that the function holds already. */
  readonly spent: { count: number }
  readonly policy: Policy
}

export function createBasicBlock(depth: number): BasicBlock {
  return { instructions: [], end: null, depth, isMovable: false }
}

/** Nodes that compute the state of a stream from a value. */
export type StateArithmetic = {
  /** What `tonumber` returns for a value that is a number or equals one. */
  number(value: Expression): Expression
  literal(value: number): Expression
}
