/** Superoperators as the stream holds them: with opcode, address and operands. */

import type { Arm } from './dispatch.ts'
import type { Superoperator } from './superoperators.ts'

/** A superoperator with its opcode and address. */
export type PlacedSuperoperator = {
  readonly made: Superoperator
  readonly arm: Arm
  /** The targets of its jumps, in the order of their operands. */
  readonly jumps: Superoperator[]
  /** Constants whose operands come after those. */
  readonly constants: number[]
  /** The superoperator stored right after it, when control falls through. */
  next: Superoperator | null
  /** Something jumps here, so the state comes from the address and not from the last opcode. */
  isLanding: boolean
  /** Its opcode occurs only in words, so another opcode of its arm would do as well. */
  isFree: boolean
  /** Unused words after its operands. */
  decoys: number
  address: number
  number: number
}

/** Code in loops is near the root of the dispatch tree. */
export function placeSuperoperator(made: Superoperator): PlacedSuperoperator {
  const arm: Arm = { weight: 8 ** Math.min(made.depth, 5), low: 0, high: 0, statements: [] }
  return {
    made,
    arm,
    jumps: [],
    constants: [],
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

/** The words of a superoperator, with its opcode and decoys. */
export function lengthOf(placed: PlacedSuperoperator): number {
  return 1 + operandsOf(placed) + placed.decoys
}
