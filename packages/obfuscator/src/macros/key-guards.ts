/**
 * Implements the second and third arguments of `WARD_ENCFUNC(f, 'key', expression)`: the code runs only if
 * the expression equals the key. `lock-values` replaces the key with a hash and uses the key to encrypt the
 * guarded code.
 */

import { MIN_KEY_LENGTH } from '../locks/comparisons.ts'
import { MAX_KEY_LENGTH } from '../locks/value-cipher.ts'
import type { PassContext } from '../pass-context.ts'
import type { Block, Expression, Node, Statement, StringLiteral } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'

const WRONG = 'scriptward: this code runs only with its key'

export type KeyGuard = { readonly key: StringLiteral; readonly found: Expression }

/** Validates a key and its expression. If they are invalid, reports a diagnostic and returns null. */
export function readGuard(
  { diagnostics }: PassContext,
  name: string,
  [, key, found]: readonly Expression[],
): KeyGuard | null {
  if (!key || !found) return null
  const isKey = key.kind === 'StringLiteral' && key.value.length >= MIN_KEY_LENGTH
  if (!isKey || key.value.length > MAX_KEY_LENGTH) diagnostics.report(key.at, 'macroKey', name)
  else if (readsVararg(found)) diagnostics.report(found.at, 'macroKeyVararg', name)
  else return { key, found }
  return null
}

/** @param insisted collects the comparison, so that it locks its code with every preset. */
export function guardedBody(
  body: Block,
  { key, found }: KeyGuard,
  { symbols }: PassContext,
  insisted: Set<Node>,
): Block {
  const make = nodesAt(body.at)
  const value = symbols.fresh()
  const condition = make.binary(make.use(value), '~=', key)
  insisted.add(condition).add(key)
  const fail = make.call(
    { kind: 'GlobalName', at: body.at, name: 'error' },
    make.string(WRONG),
    make.number(0),
  )
  const leave: Statement = { kind: 'Return', at: body.at, values: [fail] }
  const clause = { kind: 'IfClause' as const, at: body.at, condition, body: make.block([leave]) }
  const guard: Statement = { kind: 'If', at: body.at, clauses: [clause], otherwise: null }
  // The body gets its own block, because `lock-values` does not lock code that has labels next to a guard.
  return make.block([make.local([value], [oneValue(found)]), guard, { kind: 'Do', at: body.at, body }])
}

/** Builds a call to a function that returns the value if the key matches. */
export function guardedValue(
  value: Expression,
  guard: KeyGuard,
  context: PassContext,
  insisted: Set<Node>,
): Expression {
  const { at } = value
  const make = nodesAt(at)
  const body = make.block([{ kind: 'Return', at, values: [value] }])
  return make.call(make.function(guardedBody(body, guard, context, insisted)))
}

/**
 * Encodes a number as a string of its decimal digits, multiplied by one. Only strings and small integers can
 * be locked.
 */
export function numberAsText(digits: Expression): Expression {
  const make = nodesAt(digits.at)
  return make.binary(digits, '*', make.number(1))
}

function readsVararg(node: Expression): boolean {
  let isFound = false
  rewrite(node, {
    FunctionExpression: { enter: () => false },
    Vararg: () => {
      isFound = true
    },
  })
  return isFound
}
