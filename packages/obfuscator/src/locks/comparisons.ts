/** Which comparisons can lock code, and in which scripts. `lock-values` asks; nothing is changed here. */

import type { Capacity } from '../semantics/capacity.ts'
import type { Binary, Chunk, Expression, If, Offset, Statement } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { MAX_KEY_LENGTH } from './value-cipher.ts'

/** A value that is compared with a string. */
export type Comparison = {
  readonly value: Expression
  readonly text: string
  /** Where the text stands. */
  readonly at: Offset
  readonly isEqual: boolean
}

/** Shorter strings are guessed at once. */
export const MIN_KEY_LENGTH = 3

/** Upvalues that locks may add to a function. */
const MAX_EXTRA_UPVALUES = 10
const MAX_EXTRA_LOCALS = 8

/** False where LuaJIT's ffi may be used: it has values that equal a string without being one. */
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

/** The comparison that a node makes; null when it cannot lock code. */
export function comparisonOf({ operator, left, right }: Binary): Comparison | null {
  if (operator !== '==' && operator !== '~=') return null
  const [literal, value] = left.kind === 'StringLiteral' ? [left, right] : [right, left]
  if (literal.kind !== 'StringLiteral' || value.kind === 'StringLiteral' || isTypeName(value)) return null
  const text = literal.value
  if (text.length < MIN_KEY_LENGTH || text.length > MAX_KEY_LENGTH) return null
  return { value, text, at: literal.at, isEqual: operator === '==' }
}

/** `type(x)`: its few results are known. */
function isTypeName(value: Expression): boolean {
  if (value.kind !== 'Call') return false
  const { callee } = value
  const key = callee.kind === 'Index' ? callee.key : null
  const name = callee.kind === 'GlobalName' ? callee.name : key?.kind === 'StringLiteral' ? key.value : ''
  return name === 'type' || name === 'typeof'
}

/** `if … then … return end`: the code after it runs only when the condition was false. */
export function isGuardClause(node: Statement): node is If {
  if (node.kind !== 'If' || node.clauses.length !== 1 || node.otherwise) return false
  const last = node.clauses[0]?.body.statements.at(-1)?.kind
  return last === 'Return' || last === 'Break' || last === 'Continue'
}
