/** Finds macros in the syntax tree and evaluates conditions that depend on them. */

import type { Binding, Expression } from '../syntax/ast.ts'
import { type Macro, macroNamed } from './macro-table.ts'

/** Returns the macro that a node refers to; null if there is none. */
export function macroOf(node: Expression | Binding | null): Macro | null {
  if (node?.kind !== 'GlobalName' && node?.kind !== 'Binding') return null
  return macroNamed(node.name)
}

/** Whether a condition on macros is true in a protected script. Null if this is known only at run time. */
export function staticTruth(node: Expression): boolean | null {
  switch (node.kind) {
    case 'GlobalName':
      return macroOf(node) ? true : null
    case 'Unary': {
      const inner = node.operator === 'not' ? staticTruth(node.operand) : null
      return inner === null ? null : !inner
    }
    case 'Logical': {
      const left = staticTruth(node.left)
      if (left === null) return null
      return left === (node.operator === 'or') ? left : staticTruth(node.right)
    }
    case 'Binary': {
      if (node.right.kind !== 'NilLiteral' || macroOf(node.left) === null) return null
      return node.operator === '~=' ? true : node.operator === '==' ? false : null
    }
    default:
      return null
  }
}
