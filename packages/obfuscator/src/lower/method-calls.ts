/** Converts method calls to field calls where the host cannot tell the difference. */

import type { Target } from '../semantics/target.ts'
import type { Call, Expression, MethodCall } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'

/**
 * When a host looks up a method: before it evaluates the arguments (`first`), after it has evaluated them
 * (`last`), or either of these, depending on the host (`host`).
 */
export type MethodOrder = 'first' | 'last' | 'host'

/** Lua and LuaJIT look up a method before they evaluate its arguments. Luau looks it up afterward. */
export const METHOD_ORDERS: Readonly<Record<Target, MethodOrder>> = {
  any: 'host',
  lua51: 'first',
  luajit: 'first',
  luau: 'last',
  lua54: 'first',
}

/**
 * Converts a method call on a local to a field access and a call. The method name then becomes an ordinary
 * constant.
 */
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

/**
 * Whether the expression has no side effects and doesn't depend on any. Such an expression can be evaluated
 * at any time.
 */
export function isPure(node: Expression): boolean {
  return PURE.has(node.kind)
}
