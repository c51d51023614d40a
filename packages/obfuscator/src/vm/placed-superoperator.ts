/** Superoperators in the stream, with opcode, address and operands. */

import type { NumberLiteral } from '../syntax/ast.ts'
import type { Arm } from './dispatch.ts'
import type { Superoperator } from './superoperators.ts'

export type PlacedSuperoperator = {
  readonly made: Superoperator
  readonly arm: Arm
  /** The targets of its jumps, in operand order. */
  readonly jumps: Superoperator[]
  /** Constants whose operands follow the operands of the jumps. */
  readonly constants: number[]
  /** The 0-based indexes of the operands whose number differs between keys. */
  readonly varied: Map<number, NumberLiteral>
  /** The superoperator stored directly after it, if control falls through. */
  next: Superoperator | null
  /** Whether jumps lead here. If so, the state is computed from the address rather than the last opcode. */
  isLanding: boolean
  /** Whether its opcode occurs only in words, so that any other opcode of its arm is equivalent. */
  isFree: boolean
  /** Number of unused words after its operands. */
  decoys: number
  address: number
  number: number
}

/** Assigns code in loops a higher weight, which places it near the root of the dispatch tree. */
export function placeSuperoperator(made: Superoperator): PlacedSuperoperator {
  const arm: Arm = { weight: 8 ** Math.min(made.depth, 5), low: 0, high: 0, statements: [] }
  return {
    made,
    arm,
    jumps: [],
    constants: [],
    varied: new Map(),
    next: null,
    isLanding: false,
    isFree: false,
    decoys: 0,
    address: 0,
    number: 0,
  }
}

export function operandsOf({ jumps, constants }: PlacedSuperoperator): number {
  return jumps.length + constants.length
}

/** The number of words of a superoperator, including its opcode and decoys. */
export function lengthOf(placed: PlacedSuperoperator): number {
  return 1 + operandsOf(placed) + placed.decoys
}
