/**
 * Finds the comparisons that can lock code, and decides whether a script can have locks at all. `lock-values`
 * creates the locks.
 */

import type { Capacity } from '../semantics/capacity.ts'
import type { Binary, Chunk, Expression, If, Offset, Statement } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { MAX_KEY_LENGTH } from './value-cipher.ts'

/** A comparison of a value with a string literal. */
export type Comparison = {
  readonly value: Expression
  readonly text: string
  /** Source position of the string literal. */
  readonly at: Offset
  readonly isEqual: boolean
}

/** Shorter strings are trivial to guess. */
export const MIN_KEY_LENGTH = 3

/** Maximum number of upvalues and locals that locks may add to a function. */
const MAX_EXTRA_UPVALUES = 10
const MAX_EXTRA_LOCALS = 8

/**
 * Whether the script can have locks. Scripts that may use LuaJIT's FFI can't, because a cdata value can be
 * equal to a string without being a string.
 */
export function isLockable(chunk: Chunk, capacity: Capacity): boolean {
  let isFree = capacity.hasLocals(chunk, MAX_EXTRA_LOCALS)
  rewrite(chunk, {
    StringLiteral({ value }) {
      if (value === 'ffi') isFree = false
    },
    FunctionExpression: {
      enter(node) {
        if (!capacity.hasUpvalues(node, MAX_EXTRA_UPVALUES)) isFree = false
      },
    },
  })
  return isFree
}

/**
 * Returns the comparison with a string literal that a node performs; null if that comparison cannot lock
 * code.
 */
export function comparisonOf({ operator, left, right }: Binary): Comparison | null {
  if (operator !== '==' && operator !== '~=') return null
  const [literal, value] = left.kind === 'StringLiteral' ? [left, right] : [right, left]
  if (literal.kind !== 'StringLiteral' || value.kind === 'StringLiteral' || isTypeName(value)) return null
  const text = literal.value
  if (text.length < MIN_KEY_LENGTH || text.length > MAX_KEY_LENGTH) return null
  return { value, text, at: literal.at, isEqual: operator === '==' }
}

/** Matches `type(x)`, which has only a few well-known results. */
function isTypeName(value: Expression): boolean {
  if (value.kind !== 'Call') return false
  const { callee } = value
  const key = callee.kind === 'Index' ? callee.key : null
  const name = callee.kind === 'GlobalName' ? callee.name : key?.kind === 'StringLiteral' ? key.value : ''
  return name === 'type' || name === 'typeof'
}

/** Matches `if … then … return end`. The code after that statement runs only if the condition was false. */
export function isGuardClause(node: Statement): node is If {
  if (node.kind !== 'If' || node.clauses.length !== 1 || node.otherwise) return false
  const last = node.clauses[0]?.body.statements.at(-1)?.kind
  return last === 'Return' || last === 'Break' || last === 'Continue'
}
