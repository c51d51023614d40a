/** Floats of Lua 5.4 that are whole, such as `5.0`. Passes hide integers as sums of integers; the quotient of two is a float. */

import type { Binary, Int64Literal, NumberLiteral } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

/** `whole` is the integer that is divided by one. */
export type WholeFloat = Binary & { readonly left: NumberLiteral | Int64Literal }

export function lowerFloat({ at, value }: NumberLiteral): WholeFloat {
  const make = nodesAt(at)
  const left: NumberLiteral | Int64Literal = Number.isSafeInteger(value)
    ? make.number(value)
    : { kind: 'Int64Literal', at, value: BigInt(value), isUnsigned: false, isPlain: true }
  return { kind: 'Binary', at, operator: '/', left, right: make.number(1) }
}
