/** Rejects uses of a server table that would need the entire table in the script. */

import type { PassContext } from '../pass-context.ts'
import type { Call, Chunk, Expression, SymbolId, Target } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import type { ScriptUses } from './script-uses.ts'

const ITERATORS: ReadonlySet<string> = new Set(['pairs', 'ipairs', 'next'])

/**
 * Checks only uses of the variable that the table is assigned to. All other invalid uses fail at run time.
 */
export function refuseTableUses(chunk: Chunk, uses: ScriptUses, call: Call, context: PassContext): void {
  const symbol = [...uses.declarations].find(([, { value }]) => value === call)?.[0]
  if (symbol === undefined) return
  const name = uses.declarations.get(symbol)?.name ?? ''
  const refuse = (node: Expression | undefined, use: string): void => {
    if (isUse(node, symbol)) context.diagnostics.report(node.at, 'serverTableUse', name, use)
  }
  const target = (node: Target): void =>
    node.kind === 'Index' ? refuse(node.object, 'changed') : refuse(node, 'assigned')
  rewrite(chunk, {
    Assign: { enter: ({ targets }) => targets.forEach(target) },
    CompoundAssign: { enter: (node) => target(node.target) },
    Unary: {
      enter: ({ operator, operand }) => (operator === '#' ? refuse(operand, 'measured with #') : undefined),
    },
    GenericFor: { enter: ({ values }) => refuse(values[0], 'iterated') },
    Call: {
      enter: ({ callee, args }) => {
        if (callee.kind === 'GlobalName' && ITERATORS.has(callee.name)) refuse(args[0], 'iterated')
      },
    },
  })
}

function isUse(node: Expression | undefined, symbol: SymbolId): node is Expression {
  return node?.kind === 'LocalName' && node.symbol === symbol
}
