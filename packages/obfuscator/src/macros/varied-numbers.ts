/**
 * Expands `WARD_VARY(61.25, 0.01)` to a number that differs between keys. The number is the sum of a word in
 * the instruction stream and a constant, divided by a power of ten.
 */

import { lowerFloat } from '../lower/floats.ts'
import type { PassContext } from '../pass-context.ts'
import type { Call, Expression, NumberLiteral } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { middleOf, numberAt, type Variation, variationOf } from '../varied-numbers/variation.ts'
import type { Notices } from './notices.ts'

/** Maximum number of WARD_VARY macros, because each costs the server a few bytes per run. */
const MAX_VARIED_NUMBERS = 100

/**
 * The range of the lowest word of a number. In this range, the word looks like the other words of the stream.
 */
const [MIN_WORD, MAX_WORD] = [10_000, 90_000]

export function varyNumber(
  { callee, args, at }: Call,
  context: PassContext,
  notices: Notices,
  isOnServer: boolean,
): Expression {
  const { diagnostics, varied, hasCopies } = context
  const make = nodesAt(at)
  const [value, tolerance] = args.map(literalOf)
  const nothing = make.number(0)
  if (!value || !tolerance || args.length !== 2) {
    diagnostics.report(callee.at, 'varyArguments')
    return nothing
  }
  if (tolerance.number <= 0) {
    diagnostics.report(args[1]?.at ?? at, 'varyTolerance')
    return nothing
  }
  const isWhole = Number.isInteger(value.number) && !value.isFloat && tolerance.number >= 1
  const variation = variationOf(value.number, tolerance.number, isWhole)
  if (!variation) diagnostics.report(args[1]?.at ?? at, 'varyDigits', value.number, tolerance.number)
  else if (isOnServer) diagnostics.report(callee.at, 'varyOnServer')
  else if (varied.size === MAX_VARIED_NUMBERS)
    diagnostics.report(callee.at, 'varyTooMany', MAX_VARIED_NUMBERS)
  else if (!hasCopies) return unvaried(variation, isWhole, callee.at, { context, notices })
  else if (!context.virtualizes || context.source.isHot) diagnostics.report(callee.at, 'varyWithoutStream')
  else return variedBy(variation, callee.at, context)
  return nothing
}

type Literal = { readonly number: number; readonly isFloat: boolean }

function literalOf(node: Expression): Literal | null {
  if (node.kind === 'Unary' && node.operator === '-') {
    const inner = literalOf(node.operand)
    return inner && { ...inner, number: -inner.number }
  }
  if (node.kind !== 'NumberLiteral' || !Number.isFinite(node.value)) return null
  return { number: node.value, isFloat: node.isFloat === true }
}

/** Without a server, there are no keys, so the author's number is used. */
function unvaried(
  variation: Variation,
  isWhole: boolean,
  at: number,
  { context: { serverCode, target }, notices }: { readonly context: PassContext; readonly notices: Notices },
): Expression {
  if (serverCode === 'move')
    notices.addUnprotected(
      at,
      'this WARD_VARY is the same in every copy, because there is no server to vary it',
    )
  const value = numberAt(variation, middleOf(variation))
  const number: NumberLiteral = nodesAt(at).number(Math.abs(value))
  const isFloat = target === 'lua54' && !isWhole && Number.isInteger(value)
  const spelled = isFloat ? lowerFloat(number) : number
  return value < 0 ? { kind: 'Unary', at, operator: '-', operand: spelled } : spelled
}

function variedBy(
  { ...variation }: Variation,
  at: number,
  { varied, frozen, random }: PassContext,
): Expression {
  const make = nodesAt(at)
  const { lowest, scale } = variation
  // The constant is never 0. If it were, a later pass would reduce the sum to the word.
  const first = random.int(MIN_WORD, MAX_WORD)
  const base = first === lowest ? first + 1 : first
  const number = make.number(base + middleOf(variation))
  varied.set(number, variation)
  frozen.add(number)
  const rest = lowest - base
  const sum = make.binary(number, rest < 0 ? '-' : '+', make.number(Math.abs(rest)))
  return scale === 1 ? sum : make.binary(sum, '/', make.number(scale))
}
