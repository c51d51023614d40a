/**
 * Comparisons with a constant, which may stand on either side: reading it has no effect, and the comparison means
 * the same with its operator turned round.
 */

import type { Binary, Node } from '../syntax/ast.ts'
import type { BinaryOperator } from '../syntax/operator-names.ts'
import { rewrite } from '../syntax/walk.ts'

/** The operator that means the same once the sides of a comparison changed places. */
export const TURNED: { readonly [K in BinaryOperator]?: BinaryOperator } = {
  '==': '==',
  '~=': '~=',
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
}

/** The constant of a comparison; null when there is none, or two. */
export function comparedConstant({ operator, left, right }: Binary): Node | null {
  if (!TURNED[operator] || isConstant(left) === isConstant(right)) return null
  return isConstant(left) ? left : right
}

/** Whether reading it has no effect, and comparing with it calls nothing. */
export function isConstant({ kind }: Node): boolean {
  return CONSTANTS.has(kind)
}

const CONSTANTS: ReadonlySet<string> = new Set([
  'NumberLiteral',
  'StringLiteral',
  'BooleanLiteral',
  'NilLiteral',
])

/** The tree with one comparison turned round, which holds this constant. Functions in it stay. */
export function swapOperands<N extends Node>(root: N, constant: Node): N {
  return rewrite(root, {
    FunctionExpression: { enter: () => false },
    Binary: (node) => {
      const operator = comparedConstant(node) === constant && TURNED[node.operator]
      return operator ? { ...node, operator, left: node.right, right: node.left } : undefined
    },
  })
}

/** The constants of comparisons in the tree, outside of functions, that are among these. */
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
