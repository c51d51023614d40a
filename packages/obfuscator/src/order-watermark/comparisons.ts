/**
 * Comparisons with a constant. The constant can be on either side, because reading it has no side effects,
 * and mirroring the operator preserves the meaning.
 */

import type { Binary, Node } from '../syntax/ast.ts'
import type { BinaryOperator } from '../syntax/operator-names.ts'
import { rewrite } from '../syntax/walk.ts'

/** The operators to use in a comparison whose operands are swapped. */
export const TURNED: { readonly [K in BinaryOperator]?: BinaryOperator } = {
  '==': '==',
  '~=': '~=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
}

/** Returns the constant operand of a comparison; null if neither operand or both operands are constant. */
export function comparedConstant({ operator, left, right }: Binary): Node | null {
  if (!TURNED[operator] || isConstant(left) === isConstant(right)) return null
  return isConstant(left) ? left : right
}

/**
 * Whether the node is a constant: reading it has no side effects, and comparing with it invokes no
 * metamethod.
 */
export function isConstant({ kind }: Node): boolean {
  return CONSTANTS.has(kind)
}

const CONSTANTS: ReadonlySet<string> = new Set([
  'NumberLiteral',
  'StringLiteral',
  'BooleanLiteral',
  'NilLiteral',
])

/** Swaps the operands of the comparison that contains this constant. Does not search nested functions. */
export function swapOperands<N extends Node>(root: N, constant: Node): N {
  return rewrite(root, {
    FunctionExpression: { enter: () => false },
    Binary: (node) => {
      const operator = comparedConstant(node) === constant && TURNED[node.operator]
      return operator ? { ...node, operator, left: node.right, right: node.left } : undefined
    },
  })
}

/** Returns the given constants that are compared in the tree, except in nested functions. */
export function findCompared(root: Node, constants: { has(node: Node): boolean }): readonly Node[] {
  const found: Node[] = []
  rewrite(root, {
    FunctionExpression: { enter: () => false },
    Binary: (node): undefined => {
      const constant = comparedConstant(node)
      if (constant && constants.has(constant)) found.push(constant)
    },
  })
  return found
}
