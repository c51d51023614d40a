/** Writes method calls as field calls where the host cannot tell the difference. */

import type { Target } from '../semantics/target.ts'
import type { Call, Expression, MethodCall } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

/** When a method is looked up: before its arguments are evaluated, after, or as the host does. */
export type MethodOrder = 'first' | 'last' | 'host'

/** Lua and LuaJIT look a method up before its arguments are evaluated, Luau after. */
export const METHOD_ORDERS: Readonly<Record<Target, MethodOrder>> = {
  any: 'host',
  lua51: 'first',
  luajit: 'first',
  luau: 'last',
  lua54: 'first',
}

/** Writes a method of a local as a field access, so that its name is a constant like any other. */
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

/** Whether the expression has no side effects and depends on none, so it may be evaluated at any time. */
export function isPure(node: Expression): boolean {
  return PURE.has(node.kind)
}
