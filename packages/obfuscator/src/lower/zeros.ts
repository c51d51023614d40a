/**
 * Lua 5.1 stores all zeros of a function as one constant, with the sign of the first zero. As a result,
 * `print(0, -0)` prints 0 twice on Lua 5.1, but on no other host. Protection moves constants between
 * functions, so zeros with an ambiguous sign are rewritten so that they don't depend on the constants around
 * them.
 */

import type { PassContext } from '../pass-context.ts'
import { MARK_NATIVE } from '../semantics/function-marks.ts'
import { instantiate } from '../semantics/template.ts'
import type { Chunk, Expression, FunctionExpression, Node, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt, withPrologue } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

type Owner = Chunk | FunctionExpression
type Zeros = Map<Node, { readonly isNegative: boolean }>

/** A zero that has one sign on Lua 5.1 and the other sign on all other hosts. */
type Folded = { readonly symbol: SymbolId; readonly text: string }

/** @param context its target is `lua51` or `any`. */
export function keepZeros(chunk: Chunk, context: PassContext): Chunk {
  const found = [...zerosOf(chunk)].filter(([, zeros]) => [...zeros.values()].some((each) => each.isNegative))
  if (found.length === 0) return chunk
  const { symbols, target } = context
  const capacity = context.capacityOf(chunk)
  const behindPlus = { symbol: symbols.fresh(), text: '0, -0' }
  const behindMinus = { symbol: symbols.fresh(), text: '-0, 0' }
  const used = new Set<Folded>()
  const written = new Map<Node, Expression>()
  for (const [owner, zeros] of found) {
    const isMinus = [...zeros.values()][0]?.isNegative ?? false
    const folded = isMinus ? behindMinus : behindPlus
    for (const [node, { isNegative }] of zeros) {
      const make = nodesAt(node.at)
      if (isNegative && isMinus) written.set(node, negativeZero(node))
      else if (isNegative === isMinus) continue
      else if (target === 'lua51') written.set(node, isMinus ? negativeZero(node) : make.number(0))
      else if (capacity.hasLocals(chunk, 2) && capacity.hasUpvalues(owner, 2)) {
        used.add(folded)
        written.set(node, make.use(folded.symbol))
      }
    }
  }
  const replace = (node: Node) => written.get(node)
  const made = rewrite(chunk, {
    NumberLiteral: replace,
    Unary: replace,
    Binary: replace,
    Paren: replace,
  } as Visitors)
  return withPrologue(
    made,
    [...used].flatMap((each) => declaration(each, context, chunk)),
  )
}

/** Builds a negative zero as an expression that no host folds to a constant. */
function negativeZero({ at }: Node): Expression {
  const length: Expression = { kind: 'Unary', at, operator: '#', operand: nodesAt(at).string('') }
  return { kind: 'Unary', at, operator: '-', operand: length }
}

/** Declares a local whose value depends on whether the host merges the two zeros. */
function declaration({ symbol, text }: Folded, context: PassContext, { at }: Chunk): Statement[] {
  const made = instantiate(
    `local zero = (function() local first, second = ${text} return second end)() value = zero`,
    { value: symbol },
    context.symbols,
    at,
  )
  return [nodesAt(at).local([symbol]), nodesAt(at).do(made)].map((each) =>
    rewrite(each, {
      FunctionExpression: (node) => ({ ...node, attributes: [MARK_NATIVE] }),
      NumberLiteral: (node) => void context.frozen.add(node),
    }),
  )
}

/** Returns each function's zeros, in the order that Lua 5.1 adds them to the function's constants. */
function zerosOf(chunk: Chunk): ReadonlyMap<Owner, Zeros> {
  const found = new Map<Owner, Zeros>([[chunk, new Map()]])
  const values = new Map<Node, number>()
  const open: Owner[] = [chunk]
  const note = (node: Node, value: number | null, parts: readonly Node[]): undefined => {
    if (value === null) return
    values.set(node, value)
    const zeros = found.get(open.at(-1) as Owner)
    for (const part of parts) zeros?.delete(part)
    if (value === 0) zeros?.set(node, { isNegative: Object.is(value, -0) })
  }
  const of = (node: Node) => values.get(node) ?? null
  rewrite(chunk, {
    FunctionExpression: {
      enter: (node) => {
        found.set(node, new Map())
        open.push(node)
      },
      leave: () => void open.pop(),
    },
    NumberLiteral: (node) => note(node, node.value, []),
    Paren: (node) => note(node, of(node.inner), [node.inner]),
    Unary: (_, original) => {
      const value = of(original.operand)
      return note(original, original.operator === '-' && value !== null ? -value : null, [original.operand])
    },
    Binary: (_, original) => {
      const { operator, left, right } = original
      const [a, b] = [of(left), of(right)]
      return note(original, a === null || b === null ? null : folded(operator, a, b), [left, right])
    },
  })
  return found
}

/**
 * Folds an operation as the Lua 5.1 compiler does. Returns null if that compiler leaves the operation to run
 * time.
 */
function folded(operator: string, a: number, b: number): number | null {
  const value = calculated(operator, a, b)
  return value === null || Number.isNaN(value) ? null : value
}

function calculated(operator: string, a: number, b: number): number | null {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return b === 0 ? null : a / b
    case '%':
      return b === 0 ? null : a - Math.floor(a / b) * b
    case '^':
      return a ** b
    default:
      return null
  }
}
