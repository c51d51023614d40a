/**
 * The intermediate representation between syntax tree and instruction stream: basic blocks of instructions
 * over registers. An instruction is a statement with registers as operands, so its semantics are exactly
 * those of the host.
 */

import type { LeasedWords } from '../locks/leased-words.ts'
import type { OrderMark } from '../order-watermark/order-marks.ts'
import type { Expression, Statement, SymbolId } from '../syntax/ast.ts'
import type { Policy } from './policy.ts'

/**
 * Statements that stay together, and their cost. The scope of locals declared in them extends to the end of
 * the superoperator.
 */
export type Instruction = { readonly statements: readonly Statement[]; readonly weight: number }

/** The terminator of a basic block. */
export type Terminator =
  | { readonly kind: 'jump'; readonly to: BasicBlock }
  | {
      readonly kind: 'branch'
      /** Declarations of the locals that the condition needs. */
      readonly before: readonly Statement[]
      readonly condition: Expression
      readonly then: BasicBlock
      readonly otherwise: BasicBlock
    }
  /** Leaves the function; the statement is a `return`. */
  | { readonly kind: 'return'; readonly statement: Statement; readonly before: readonly Statement[] }
  /** Leaves the region: at its end, or out of the loop whose body is the region. */
  | { readonly kind: 'leave'; readonly how: RegionExit }

export type RegionExit = 'end' | 'break' | 'continue'

/**
 * Values assigned to the pointer when a jump leaves a region. They are negative because a pointer that has
 * read the first word of the stream backward is 0.
 */
export const EXITS = { end: 0, break: -1, continue: -2 } as const

export type BasicBlock = {
  readonly instructions: Instruction[]
  /** Must be set once. A block without a terminator cannot be emitted. */
  end: Terminator | null
  /** Number of loops around the block within its region. */
  readonly depth: number
  /** Whether control reaches the block only through words of the stream, which means that a copy can move it. */
  isMovable: boolean
}

/**
 * Two consecutive parts of a function that can run in either order: `first` up to `second`, and `second` up
 * to `after`. Control enters each part only at its start. It leaves the part by returning from the function
 * or by continuing with the next part.
 */
export type OrderSwap = {
  readonly first: BasicBlock
  readonly second: BasicBlock
  readonly after: BasicBlock
  readonly mark: OrderMark
}

/**
 * A number that can be computed only from the salt and the code of its function, and the local that contains
 * the number.
 */
export type StreamKey = {
  readonly symbol: SymbolId
  readonly value: number
  /** Whether code reads the local. An unread local is not declared. */
  isUsed: boolean
}

/** A section of a function that a single dispatch loop runs. */
export type Region = {
  readonly entry: BasicBlock
  readonly swaps: readonly OrderSwap[]
  /** Whether the region is the entire body of a native loop, where `continue` ends it. */
  readonly isLoopBody: boolean
  /** The local for the instruction stream. */
  readonly stream: SymbolId
  /** The words of that stream if it is encrypted in a lock; otherwise null. */
  readonly lease: LeasedWords | null
  readonly key: StreamKey
  /** Number of constants that the function already contains. */
  readonly spent: { count: number }
  readonly policy: Policy
}

export function createBasicBlock(depth: number): BasicBlock {
  return { instructions: [], end: null, depth, isMovable: false }
}

/** Factories for nodes that compute the state of a stream from a value. */
export type StateArithmetic = {
  /** Converts a value that is or equals a number, as `tonumber` does. */
  number(value: Expression): Expression
  literal(value: number): Expression
}
