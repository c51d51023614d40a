/** Lowers compound assignment: `t[k] += 1` becomes `t[k] = t[k] + 1` with each operand evaluated once. */

import type { Symbols } from '../semantics/symbols.ts'
import type { CompoundAssign, Expression, Statement } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import type { Support } from './runtime-support.ts'

/** Evaluates the object and the key of the target once. Locals are read in place, as in Luau. */
export function lowerCompoundAssign(
  node: CompoundAssign,
  symbols: Symbols,
  support: Support,
): Statement | Statement[] {
  const make = nodesAt(node.at)
  const operate = (left: Expression): Expression =>
    node.operator === '//'
      ? make.call(support.use('floorDivide', node.at), left, oneValue(node.value))
      : make.binary(left, node.operator, node.value)
  const target = node.target
  if (target.kind !== 'Index') return make.assign(target, operate(target))
  const kept: { symbol: number; value: Expression }[] = []
  const once = (part: Expression): Expression => {
    if (isFixed(part)) return part
    const symbol = symbols.fresh()
    kept.push({ symbol, value: part })
    return make.use(symbol)
  }
  const place = make.index(once(target.object), once(target.key))
  const assign = make.assign(place, operate(place))
  if (kept.length === 0) return assign
  const locals = make.local(
    kept.map((each) => each.symbol),
    kept.map((each) => oneValue(each.value)),
  )
  return make.do([locals, assign])
}

function isFixed(part: Expression): boolean {
  return part.kind === 'LocalName' || part.kind === 'StringLiteral' || part.kind === 'NumberLiteral'
}
