/**
 * Lowers Lua 5.4 floats with an integral value, such as `5.0`, to a quotient of two integers. The quotient is
 * still a float, and passes can hide the two integers as sums.
 */

import type { Binary, Int64Literal, NumberLiteral } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

/** The division of an integer by the literal 1. Its result is a float. */
export type WholeFloat = Binary & { readonly left: NumberLiteral | Int64Literal }

export function lowerFloat({ at, value }: NumberLiteral): WholeFloat {
  const make = nodesAt(at)
  const left: NumberLiteral | Int64Literal = Number.isSafeInteger(value)
    ? make.number(value)
    : { kind: 'Int64Literal', at, value: BigInt(value), isUnsigned: false, isPlain: true }
  return { kind: 'Binary', at, operator: '/', left, right: make.number(1) }
}
