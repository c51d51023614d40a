/** The printer's rules for spaces, parentheses and `do` blocks. */

import type { Expression, Kind, Offset, Statement, Target } from '../ast.ts'
import { priorities, UNARY_PRIORITY } from '../operators.ts'
import { isPlainName } from './spelling.ts'

/**
 * Whether two adjacent characters would merge: names and numbers, two minus signs that start a comment, and
 * dots.
 */
export function needsSpace(last: number, first: number, isAfterNumber: boolean): boolean {
  if (first === 45) return last === 45
  if (first === 46) return last === 46 || isAfterNumber
  return isWordPart(first) && isWordPart(last)
}

function isWordPart(code: number): boolean {
  if (code >= 97) return code <= 122 || code >= 128
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95
}

export function endsBlock(statement: Statement): boolean {
  return statement.kind === 'Return' || statement.kind === 'Break' || statement.kind === 'Continue'
}

const TIGHTEST = 100

/** Expressions that can be called or indexed without parentheses. */
export const prefixKinds: ReadonlySet<Kind> = new Set<Kind>([
  'Name',
  'LocalName',
  'GlobalName',
  'Index',
  'Call',
  'MethodCall',
  'Guard',
  'Paren',
])

/**
 * The priority of an expression relative to an operator on its left. A unary expression starts with its
 * operator, so its operand cannot bind to an operator on the left.
 */
export function leftPriorityOf(node: Expression): number {
  if (node.kind === 'Binary' || node.kind === 'Logical') return priorities[node.operator].left
  return node.kind === 'IfExpression' ? 0 : TIGHTEST
}

/** The priority of an expression's last operand relative to an operator on its right. */
export function rightPriorityOf(node: Expression): number {
  if (node.kind === 'Binary' || node.kind === 'Logical') return priorities[node.operator].right
  if (node.kind === 'Unary' || isNegative(node)) return UNARY_PRIORITY
  return node.kind === 'IfExpression' ? 0 : TIGHTEST
}

export function isNegative(node: Expression): boolean {
  return node.kind === 'NumberLiteral' && (node.value < 0 || Object.is(node.value, -0))
}

/** Whether a target can follow `function`: a name and fields with plain names. */
export function isFunctionName(target: Target): boolean {
  let node: Expression = target
  while (node.kind === 'Index') {
    if (node.key.kind !== 'StringLiteral' || !isPlainName(node.key.value)) return false
    node = node.object
  }
  return node.kind === 'Name' || node.kind === 'LocalName' || node.kind === 'GlobalName'
}

/** Whether the first character of an expression is the brace of a table. */
export function startsWithBrace(node: Expression): boolean {
  let first = node
  while (first.kind === 'Binary' || first.kind === 'Logical') first = first.left
  return first.kind === 'Table'
}

/** Source offset of the first operand of an expression. */
export function startOf(node: Expression): Offset {
  let first = node
  while (first.kind === 'Binary' || first.kind === 'Logical') first = first.left
  return first.at
}
