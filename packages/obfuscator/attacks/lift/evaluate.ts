/** Evaluates expressions as far as possible without running the script. */

import type { Binary, Call, Expression, Index, Logical, SymbolId, Unary } from '../../src/syntax/ast.ts'
import { calculate } from '../tree.ts'
import type { Oracle, Value } from './oracle.ts'

/** The values of locals that are known at one position in the code. */
export type Known = ReadonlyMap<SymbolId, Value>

/** Returns undefined if the value is unknown. */
export function evaluate(node: Expression | undefined, known: Known, oracle: Oracle): Value | undefined {
  switch (node?.kind) {
    case 'NilLiteral':
      return null
    case 'BooleanLiteral':
    case 'NumberLiteral':
    case 'StringLiteral':
      return node.value
    case 'Paren':
      return evaluate(node.inner, known, oracle)
    case 'LocalName':
      return known.get(node.symbol)
    case 'Index':
      return indexed(node, known, oracle)
    case 'Unary':
      return unary(node, known, oracle)
    case 'Binary':
      return binary(node, known, oracle)
    case 'Logical':
      return logical(node, known, oracle)
    case 'Call':
      return called(node, known, oracle)
    default:
      return undefined
  }
}

/** Returns undefined if the value is unknown. */
export function evaluateTruth(value: Value | undefined): boolean | undefined {
  return value === undefined ? undefined : value !== null && value !== false
}

function indexed({ object, key }: Index, known: Known, oracle: Oracle): Value | undefined {
  const [table, at] = [evaluate(object, known, oracle), evaluate(key, known, oracle)]
  if (table === null || typeof table !== 'object' || table.key !== null) return undefined
  return typeof at === 'number' ? oracle.index(table.local, at) : undefined
}

function called({ callee, args }: Call, known: Known, oracle: Oracle): Value | undefined {
  const held = evaluate(callee, known, oracle)
  const given = args.map((each) => evaluate(each, known, oracle))
  if (held === undefined)
    return callee.kind === 'LocalName' ? oracle.callScript(callee.symbol, given) : undefined
  return held !== null && typeof held === 'object' && held.key !== null ? oracle.call(held, given) : undefined
}

/**
 * Returns the local that a condition compares by hash, and the string that the hash stands for. Returns null
 * for any other condition, or if the string is unknown.
 */
export function hashedText(
  { left, right }: Binary,
  known: Known,
  oracle: Oracle,
): { readonly symbol: SymbolId; readonly text: Value } | null {
  const hash = evaluate(right, known, oracle) ?? evaluate(left, known, oracle)
  const call = left.kind === 'Call' ? left : right
  if (call.kind !== 'Call' || call.callee.kind !== 'LocalName' || typeof hash !== 'number') return null
  const [value, ...rest] = call.args
  const form = rest.map((each) => evaluate(each, known, oracle))
  const text = oracle.crack(call.callee.symbol, hash, form)
  return value?.kind === 'LocalName' && text !== undefined ? { symbol: value.symbol, text } : null
}

function unary({ operator, operand }: Unary, known: Known, oracle: Oracle): Value | undefined {
  const value = evaluate(operand, known, oracle)
  if (operator === '-') return typeof value === 'number' ? -value : undefined
  if (operator === '#') return typeof value === 'string' ? value.length : undefined
  const truth = evaluateTruth(value)
  return truth === undefined ? undefined : !truth
}

function binary({ operator, left, right }: Binary, known: Known, oracle: Oracle): Value | undefined {
  const [a, b] = [evaluate(left, known, oracle), evaluate(right, known, oracle)]
  if (typeof a === 'number' && typeof b === 'number') return calculate(operator, a, b) ?? undefined
  if (a === undefined || b === undefined || typeof a === 'object' || typeof b === 'object') return undefined
  if (operator === '==') return a === b
  return operator === '~=' ? a !== b : undefined
}

function logical({ operator, left, right }: Logical, known: Known, oracle: Oracle): Value | undefined {
  const value = evaluate(left, known, oracle)
  const truth = evaluateTruth(value)
  if (truth === undefined) return undefined
  return truth === (operator === 'or') ? value : evaluate(right, known, oracle)
}
