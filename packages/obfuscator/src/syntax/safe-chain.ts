/** Splits FiveM's `a?.b.c` at its last `?`, for the parser and for lowering. */

import type { Expression, Guard, Safe } from './ast.ts'

/** The parts before and after the last `?` of a chain. */
export type SplitChain = {
  readonly head: Expression
  /** Returns the chain with its guarded part replaced. */
  readonly rest: (value: Expression) => Expression
}

/** If the head is falsy, it is the value of the chain. Otherwise, the value is `rest(head)`. */
export function splitSafe({ chain }: Safe): SplitChain {
  const object = guardOf(chain)?.object ?? chain
  const head: Expression = guardOf(object) ? { kind: 'Safe', at: object.at, chain: object } : object
  return { head, rest: (value) => withObject(chain, value) }
}

function guardOf(node: Expression): Guard | undefined {
  if (node.kind === 'Guard') return node
  if (node.kind === 'Index' || node.kind === 'MethodCall') return guardOf(node.object)
  return node.kind === 'Call' ? guardOf(node.callee) : undefined
}

function withObject(node: Expression, value: Expression): Expression {
  if (node.kind === 'Guard') return value
  if (node.kind === 'Call') return { ...node, callee: withObject(node.callee, value) }
  const isLonger = node.kind === 'Index' || node.kind === 'MethodCall'
  return isLonger ? { ...node, object: withObject(node.object, value) } : node
}
