/** Formats an expression with all known values substituted. The names of locals are lost. */

import type { Expression, TableItem } from '../../src/syntax/ast.ts'
import { evaluate, evaluateTruth, type Known } from './evaluate.ts'
import type { Oracle } from './oracle.ts'

export function describe(node: Expression, known: Known, oracle: Oracle): string {
  const value = evaluate(node, known, oracle)
  if (value !== undefined && (value === null || typeof value !== 'object')) return JSON.stringify(value)
  const text = (each: Expression) => describe(each, known, oracle)
  const list = (nodes: readonly Expression[]) => nodes.map(text).join(', ')
  const item = (each: TableItem) =>
    each.kind === 'KeyedItem' ? `[${text(each.key)}] = ${text(each.value)}` : text(each.value)
  switch (node.kind) {
    case 'GlobalName':
      return node.name
    case 'Index':
      return `${text(node.object)}[${text(node.key)}]`
    case 'Call':
      return `${text(node.callee)}(${list(node.args)})`
    case 'MethodCall':
      return `${text(node.object)}:${node.method}(${list(node.args)})`
    case 'Binary':
      return `(${text(node.left)} ${node.operator} ${text(node.right)})`
    case 'Unary':
      return `(${node.operator} ${text(node.operand)})`
    case 'Paren':
      return `(${text(node.inner)})`
    case 'Table':
      return `{ ${node.items.map(item).join(', ')} }`
    case 'Logical': {
      const truth = evaluateTruth(evaluate(node.left, known, oracle))
      if (truth !== undefined) return text(truth === (node.operator === 'or') ? node.left : node.right)
      return `(${text(node.left)} ${node.operator} ${text(node.right)})`
    }
    default:
      return node.kind === 'LocalName' ? 'v' : node.kind
  }
}
