/** Lowers Luau's generalized iteration, `for k, v in table do`, to a call to an iterator function. */

import type { Expression, GenericFor } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import type { Support } from './runtime-support.ts'

/** Functions that always return iterator functions. For these, no runtime check is needed. */
const PLAIN_ITERATORS = new Set(['pairs', 'ipairs', 'next', 'gmatch', 'gfind', 'wrap', 'lines'])

export function lowerGeneralizedFor(node: GenericFor, support: Support): GenericFor {
  const [first] = node.values
  if (!first || isFunction(first)) return node
  const values = [nodesAt(node.at).call(support.use('iterate', node.at), ...node.values)]
  return { ...node, values }
}

function isFunction(value: Expression): boolean {
  if (value.kind === 'FunctionExpression') return true
  if (value.kind === 'GlobalName') return value.name === 'next'
  if (value.kind === 'MethodCall') return PLAIN_ITERATORS.has(value.method)
  if (value.kind !== 'Call') return false
  const callee = value.callee
  if (callee.kind === 'GlobalName') return PLAIN_ITERATORS.has(callee.name)
  if (callee.kind !== 'Index' || callee.key.kind !== 'StringLiteral') return false
  return callee.object.kind === 'GlobalName' && PLAIN_ITERATORS.has(callee.key.value)
}
