/**
 * Derives keys from compared values. On a branch that is taken only if a value equals a literal, the state of
 * the stream is computed from the value. The right value yields the right state. Forcing the branch yields a
 * wrong state, which cannot decode the constants and jumps of the guarded code.
 */

import type {
  Expression,
  LocalName,
  NumberLiteral,
  Statement,
  StringLiteral,
  SymbolId,
} from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { isSecretString } from './constant-pool.ts'
import type { StateArithmetic } from './ir.ts'

/** A comparison that determines the exact value on one of its branches. */
export type LiteralComparison = {
  readonly value: Expression
  readonly literal: NumberLiteral | StringLiteral
  /** Whether that branch is taken if the condition is true. */
  readonly isEqual: boolean
  /** Replaces the compared expression and keeps the literal. */
  with(value: Expression): Expression
}

/** Sums of a state and a smaller literal are exact in a double. */
const MAX_EXACT = 2 ** 40

/** The comparison in a condition; null if neither branch determines the value. */
export function comparisonWithLiteral(condition: Expression): LiteralComparison | null {
  if (condition.kind !== 'Binary' || (condition.operator !== '==' && condition.operator !== '~=')) return null
  const { left, right } = condition
  const isEqual = condition.operator === '=='
  if (isExact(right)) {
    return { value: left, literal: right, isEqual, with: (value) => ({ ...condition, left: value }) }
  }
  if (!isExact(left)) return null
  return { value: right, literal: left, isEqual, with: (value) => ({ ...condition, right: value }) }
}

function isExact(node: Expression): node is NumberLiteral | StringLiteral {
  if (node.kind === 'StringLiteral') return isSecretString(node)
  return node.kind === 'NumberLiteral' && Number.isInteger(node.value) && Math.abs(node.value) < MAX_EXACT
}

/**
 * Assigns the state, which equals `state` if the value is the literal. For strings, only the length is used,
 * because anything else would need a library function, which could be hooked.
 */
export function deriveState(
  symbol: SymbolId,
  state: number,
  { value, literal }: { readonly value: LocalName; readonly literal: NumberLiteral | StringLiteral },
  arithmetic: StateArithmetic,
): Statement {
  const make = nodesAt(value.at)
  const isText = literal.kind === 'StringLiteral'
  const expected = isText ? literal.value.length : literal.value
  const found: Expression = isText
    ? { kind: 'Unary', at: value.at, operator: '#', operand: value }
    : arithmetic.number(value)
  const distance = arithmetic.literal(Math.abs(state - expected))
  return make.assign(make.use(symbol), make.binary(found, state < expected ? '-' : '+', distance))
}
