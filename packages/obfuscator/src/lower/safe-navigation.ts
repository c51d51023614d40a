/** Lowers FiveM's `a?.b.c` to `a and a.b.c`, with `a` evaluated once. */

import type { Symbols } from '../semantics/symbols.ts'
import type { Expression, Safe } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import { splitSafe } from '../syntax/safe-chain.ts'
import { rewrite } from '../syntax/walk.ts'
import { isRepeatable } from './evaluate-once.ts'
import type { Support } from './runtime-support.ts'

export function lowerSafe(node: Safe, symbols: Symbols, support: Support): Expression {
  const { head, rest } = splitSafe(node)
  const value = head.kind === 'Safe' ? lowerSafe(head, symbols, support) : head
  const make = nodesAt(node.at)
  if (value.kind === 'LocalName') return make.logical(value, 'and', rest(make.use(value.symbol)))
  const { chain } = node
  if (chain.kind === 'Index' && chain.object.kind === 'Guard' && isRepeatable(chain.key)) {
    return make.call(support.use('safeIndex', node.at), value, chain.key)
  }
  const parameter = symbols.fresh()
  const result = make.logical(make.use(parameter), 'and', rest(make.use(parameter)))
  const isVararg = usesVararg(result)
  const plain = make.function(make.block([make.return(result)]))
  const func = { ...plain, parameters: [make.bind(parameter)], isVararg }
  const more: Expression[] = isVararg ? [{ kind: 'Vararg', at: node.at }] : []
  return make.call(func, oneValue(value), ...more)
}

function usesVararg(node: Expression): boolean {
  let isUsed = false
  rewrite(node, {
    FunctionExpression: { enter: () => false },
    Vararg: () => {
      isUsed = true
    },
  })
  return isUsed
}
