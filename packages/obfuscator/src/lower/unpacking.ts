/**
 * Lowers FiveM's `local a, b in t` and `a, b in t` to assignments of `t.a` and `t.b`, with `t` evaluated
 * once.
 */

import type { Symbols } from '../semantics/symbols.ts'
import type { Assign, Expression, Fields, Local, Statement } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { evaluateOnce, isRepeatable } from './evaluate-once.ts'

export function lowerUnpackedLocal(node: Local, symbols: Symbols): Statement | Statement[] | undefined {
  const [fields] = node.values
  if (fields?.kind !== 'Fields') return undefined
  const make = nodesAt(node.at)
  if (isSimple(fields)) return { ...node, values: valuesOf(fields, fields.object) }
  const targets = node.bindings.map(({ symbol }) => make.use(symbol))
  const assign: Assign = { kind: 'Assign', at: node.at, targets, values: node.values }
  return [{ ...node, values: [] }, ...[lowerUnpacking(assign, symbols) ?? []].flat()]
}

/** As in FiveM, the tables on the left-hand side are evaluated before the table to unpack. */
export function lowerUnpacking(node: Assign, symbols: Symbols): Statement | undefined {
  const [fields] = node.values
  if (fields?.kind !== 'Fields') return undefined
  if (isSimple(fields)) return { ...node, values: valuesOf(fields, fields.object) }
  const make = nodesAt(node.at)
  const once = evaluateOnce(node.at, symbols)
  const targets = node.targets.map((each) =>
    each.kind === 'Index' ? make.index(once.keep(each.object), each.key) : each,
  )
  const values = valuesOf(fields, once.keep(fields.object))
  return once.before({ ...node, targets, values })
}

function isSimple({ object, keys }: Fields): boolean {
  return keys.length === 1 || isRepeatable(object)
}

function valuesOf({ at, keys }: Fields, object: Expression): Expression[] {
  return keys.map((key) => nodesAt(at).index(object, key))
}
