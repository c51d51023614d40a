/** Lowers compound assignment: `t[k] += 1` becomes `t[k] = t[k] + 1`, with each operand evaluated once. */

import type { Symbols } from '../semantics/symbols.ts'
import type { CompoundAssign, Expression, Statement } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import { evaluateOnce } from './evaluate-once.ts'
import type { Support } from './runtime-support.ts'

/** @param support provides operators that the target doesn't have. */
export function lowerCompoundAssign(node: CompoundAssign, symbols: Symbols, support?: Support): Statement {
  const make = nodesAt(node.at)
  const operate = (left: Expression): Expression =>
    node.operator === '//' && support
      ? make.call(support.use('floorDivide', node.at), left, oneValue(node.value))
      : make.binary(left, node.operator, node.value)
  const { target } = node
  if (target.kind !== 'Index') return make.assign(target, operate(target))
  const once = evaluateOnce(node.at, symbols)
  const place = make.index(once.keep(target.object), once.keep(target.key))
  return once.before(make.assign(place, operate(place)))
}
