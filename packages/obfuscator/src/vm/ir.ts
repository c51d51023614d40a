// The intermediate form between tree and instruction stream: blocks of instructions over registers. An instruction is a
// statement whose operands are registers, so that its meaning is exactly the host's own.

import type { Expression, Statement, SymbolId } from '../syntax/ast.ts'
import type { Policy } from './policy.ts'

/** Statements that stay together, with what they cost. Locals declared here live until the end of the run they are put in. */
export type Instruction = { readonly statements: readonly Statement[]; readonly weight: number }

/** How a block ends. */
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
  /** Leaves the function: the statement is a `return`. */
  | { readonly kind: 'return'; readonly statement: Statement; readonly before: readonly Statement[] }
  /** Leaves the region: at its end, or out of the loop that the region is the body of. */
  | { readonly kind: 'leave'; readonly how: RegionExit }

export type RegionExit = 'end' | 'break' | 'continue'

export type BasicBlock = {
  readonly instructions: Instruction[]
  /** Set once; a block without an end cannot be emitted. */
  end: Terminator | null
  /** Loops around it in its region. */
  readonly depth: number
}

/** A number of a function that only its salt and its code give together, and the local that holds it. */
export type StreamKey = { readonly symbol: SymbolId; readonly value: number }

/** A part of a function that is run by one loop of its own. */
export type Region = {
  readonly entry: BasicBlock
  /** It is the whole body of a loop of the host, where `continue` is its end. */
  readonly isLoopBody: boolean
  /** The local that holds the instruction stream. */
  readonly stream: SymbolId
  readonly key: StreamKey
  /** Constants that the function holds already. */
  readonly spent: { count: number }
  readonly policy: Policy
}

export function createBasicBlock(depth: number): BasicBlock {
  return { instructions: [], end: null, depth }
}

/** Makes the nodes by which the state of a stream is calculated from a value. */
export type StateArithmetic = {
  /** Gives what `tonumber` gives of a value, which is a number or something else that equals one. */
  number(value: Expression): Expression
  literal(value: number): Expression
}
