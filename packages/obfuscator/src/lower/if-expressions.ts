/**
 * Lowers Luau's `if c then a else b` expressions to `and`/`or`, or to `if` statements where a statement is
 * possible.
 */

import type { Expression, IfExpression, Local, Return, Statement, Target } from '../syntax/ast.ts'
import { bind, nodesAt, oneValue } from '../syntax/nodes.ts'

/**
 * Returns `c and a or b` if `a` is always truthy. Otherwise, wraps the branches in tables, so that falsy
 * values are preserved.
 */
export function lowerIfExpression(node: IfExpression): Expression {
  const make = nodesAt(node.at)
  const { condition, consequent, otherwise } = node
  if (isTruthy(consequent)) return make.logical(make.logical(condition, 'and', consequent), 'or', otherwise)
  if (isTruthy(otherwise)) {
    return make.logical(make.logical(make.not(condition), 'and', otherwise), 'or', consequent)
  }
  const boxed = make.logical(
    make.logical(condition, 'and', make.table([oneValue(consequent)])),
    'or',
    make.table([oneValue(otherwise)]),
  )
  return make.index(boxed, make.number(1))
}

function isTruthy(value: Expression): boolean {
  switch (value.kind) {
    case 'NumberLiteral':
    case 'StringLiteral':
    case 'Table':
    case 'FunctionExpression':
      return true
    case 'BooleanLiteral':
      return value.value
    default:
      return false
  }
}

/** Lowers `local x = if c then a else b` to an `if` statement, so that no tables are created. */
export function lowerIfLocal(node: Local, original: Local): Statement[] | undefined {
  const [value] = original.values
  const [binding] = node.bindings
  if (original.values.length !== 1 || node.bindings.length !== 1) return undefined
  if (value?.kind !== 'IfExpression' || !binding || isTruthy(value.consequent)) return undefined
  const lowered = unboxed(node.values[0] as Expression)
  if (!lowered) return undefined
  const make = nodesAt(node.at)
  const target: Target = make.use(binding.symbol)
  return [
    { ...node, bindings: [bind(binding.symbol, binding.at, binding.name)], values: [] },
    make.if(lowered.condition, [make.assign(target, lowered.then)], [make.assign(target, lowered.otherwise)]),
  ]
}

export function lowerIfReturn(node: Return, original: Return): Statement | undefined {
  if (original.values.length !== 1 || original.values[0]?.kind !== 'IfExpression') return undefined
  const lowered = unboxed(node.values[0] as Expression)
  if (!lowered) return undefined
  const make = nodesAt(node.at)
  return make.if(lowered.condition, [make.return(lowered.then)], [make.return(lowered.otherwise)])
}

type Branches = { readonly condition: Expression; readonly then: Expression; readonly otherwise: Expression }

/** Extracts the branches from the tables that `lowerIfExpression` created. */
function unboxed(value: Expression): Branches | undefined {
  if (value.kind !== 'Index' || value.object.kind !== 'Logical') return undefined
  const { left, right } = value.object
  if (left.kind !== 'Logical' || left.right.kind !== 'Table' || right.kind !== 'Table') return undefined
  const then = left.right.items[0]?.value
  const otherwise = right.items[0]?.value
  return then && otherwise ? { condition: left.left, then, otherwise } : undefined
}
