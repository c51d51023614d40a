/** Method calls as calls of a field, where the host cannot tell the difference. */

import type { Call, Expression, MethodCall } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

/** When a method is looked up: before its arguments are evaluated, after, or as the host does. */
export type MethodOrder = 'first' | 'last' | 'host'

/** A method of a local is called as the field that it is, so that its name is a constant like others. */
export function toFieldCall(node: MethodCall, order: MethodOrder): Call | MethodCall {
  if (node.object.kind !== 'LocalName') return node
  if (order !== 'first' && !node.args.every(isPure)) return node
  const make = nodesAt(node.at)
  return make.call(make.index(node.object, make.string(node.method)), node.object, ...node.args)
}

const PURE: ReadonlySet<string> = new Set([
  'NilLiteral',
  'BooleanLiteral',
  'NumberLiteral',
  'StringLiteral',
  'LocalName',
  'Vararg',
  'FunctionExpression',
])

/** Has no effects and sees none, so that it does not matter when it is evaluated. */
export function isPure(node: Expression): boolean {
  return PURE.has(node.kind)
}
